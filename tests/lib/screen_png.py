#!/usr/bin/python3
"""Makes a picture of a terminal screen.

usage: screen_png.py CAPTURE OUT.png|OUT.svg     (CAPTURE: tmux capture-pane -p -e -N; - is stdin)

PNG needs python3-pil and fonts-dejavu-core; SVG needs nothing.
"""
import html
import re
import sys
import unicodedata

BASIC = ["#1b1d23", "#d75f5f", "#5faf5f", "#d7af5f", "#5f87d7", "#af5faf", "#5fafaf", "#c6c8cf",
         "#6b7080", "#ff6b6b", "#87d787", "#ffd75f", "#87afff", "#d787d7", "#87d7d7", "#ffffff"]
FOREGROUND, BACKGROUND = "#c6c8cf", "#14161b"
TOKEN = re.compile(r"\x1b\[([0-9;:]*)m|\x1b[()].|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
                   r"|\x0e|\x0f|([^\x1b])", re.S)
LINE_DRAWING = dict(zip("jklmnqtuvwxa~", "┘┐┌└┼─├┤┴┬│▒·"))


def palette(n):
    if n < 16:
        return BASIC[n]
    if n < 232:
        n -= 16
        return "#%02x%02x%02x" % tuple(0 if v == 0 else 55 + 40 * v
                                       for v in (n // 36, n // 6 % 6, n % 6))
    return "#%02x%02x%02x" % ((8 + 10 * (n - 232),) * 3)


class Style:
    def __init__(self):
        self.reset()

    def reset(self):
        self.fg = self.bg = None
        self.bold = self.dim = self.reverse = self.underline = False

    def apply(self, codes):
        codes = [int(c or 0) for c in re.split("[;:]", codes)]
        while codes:
            c = codes.pop(0)
            if c == 0:
                self.reset()
            elif c in (1, 2, 4, 7):
                setattr(self, {1: "bold", 2: "dim", 4: "underline", 7: "reverse"}[c], True)
            elif c == 22:
                self.bold = self.dim = False
            elif c == 24:
                self.underline = False
            elif c == 27:
                self.reverse = False
            elif 30 <= c <= 37 or 90 <= c <= 97:
                self.fg = palette(c - 30 if c < 90 else c - 82)
            elif 40 <= c <= 47 or 100 <= c <= 107:
                self.bg = palette(c - 40 if c < 100 else c - 92)
            elif c == 39:
                self.fg = None
            elif c == 49:
                self.bg = None
            elif c in (38, 48) and codes:
                kind = codes.pop(0)
                if kind == 5:
                    colour = palette(codes.pop(0))
                else:
                    colour = "#%02x%02x%02x" % tuple(codes[:3])
                    del codes[:3]
                setattr(self, "fg" if c == 38 else "bg", colour)

    def colours(self):
        fg, bg = self.fg or FOREGROUND, self.bg or BACKGROUND
        if self.reverse:
            fg, bg = bg, fg
        if self.dim:
            mix = [(int(fg[i:i + 2], 16) * 3 + int(bg[i:i + 2], 16) * 2) // 5 for i in (1, 3, 5)]
            fg = "#%02x%02x%02x" % tuple(mix)
        return fg, bg


def width_of(ch):
    if unicodedata.combining(ch):
        return 0
    return 2 if unicodedata.east_asian_width(ch) in "WF" else 1


def cells(capture):
    """Rows of (column, character, columns it takes, fg, bg, bold, underline)."""
    rows = []
    style = Style()
    for line in capture.rstrip("\n").split("\n"):
        row, x, drawing = [], 0, False
        for m in TOKEN.finditer(line):
            if m.group(2) is None:
                if m.group(0) == "\x0e":
                    drawing = True
                elif m.group(0) == "\x0f":
                    drawing = False
                elif m.group(1) is not None:
                    style.apply(m.group(1))
                continue
            ch = m.group(2)
            if drawing:
                ch = LINE_DRAWING.get(ch, ch)
            w = width_of(ch)
            if w == 0:
                continue
            row.append((x, ch, w, *style.colours(), style.bold, style.underline))
            x += w
        rows.append(row)
    return rows


def size_of(rows):
    return max((r[-1][0] + r[-1][2] for r in rows if r), default=1), max(len(rows), 1)


def write_svg(rows, path, cw=8, ch=17, pad=12):
    w, h = size_of(rows)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{w * cw + 2 * pad}" '
           f'height="{h * ch + 2 * pad}" font-family="DejaVu Sans Mono, monospace" font-size="13">',
           f'<rect width="100%" height="100%" fill="{BACKGROUND}"/>']
    for y, row in enumerate(rows):
        for x, c, n, fg, bg, bold, under in row:
            left, top = pad + x * cw, pad + y * ch
            if bg != BACKGROUND:
                out.append(f'<rect x="{left}" y="{top}" width="{n * cw}" height="{ch}" '
                           f'fill="{bg}"/>')
            if c != " ":
                extra = (' font-weight="bold"' if bold else "") + \
                        (' text-decoration="underline"' if under else "")
                out.append(f'<text x="{left}" y="{top + ch - 4}" fill="{fg}"{extra} xml:space='
                           f'"preserve">{html.escape(c)}</text>')
    out.append("</svg>")
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(out) + "\n")


def write_png(rows, path, size=15, pad=14):
    from PIL import Image, ImageDraw, ImageFont
    folder = "/usr/share/fonts/truetype/dejavu/"
    plain = ImageFont.truetype(folder + "DejaVuSansMono.ttf", size)
    thick = ImageFont.truetype(folder + "DejaVuSansMono-Bold.ttf", size)
    cw = round(plain.getlength("M"))
    ascent, descent = plain.getmetrics()
    ch = ascent + descent + 1
    w, h = size_of(rows)
    image = Image.new("RGB", (w * cw + 2 * pad, h * ch + 2 * pad), BACKGROUND)
    draw = ImageDraw.Draw(image)
    for y, row in enumerate(rows):
        for x, _, n, _, bg, *_ in row:
            if bg != BACKGROUND:
                left, top = pad + x * cw, pad + y * ch
                draw.rectangle([left, top, left + n * cw - 1, top + ch - 1], fill=bg)
        for x, c, n, fg, bg, bold, under in row:
            left, top = pad + x * cw, pad + y * ch
            if "\u2580" <= c <= "\u259f":
                draw_block(draw, c, left, top, n * cw, ch, fg)
            elif c != " ":
                draw.text((left, top), c, font=thick if bold else plain, fill=fg)
            if under:
                draw.line([left, top + ch - 2, left + n * cw - 1, top + ch - 2], fill=fg)
    image.save(path)


def draw_block(draw, c, left, top, w, h, fg):
    """Block elements fill their cell exactly, so that bars have no seams."""
    n = ord(c)
    right, bottom = left + w - 1, top + h - 1
    if 0x2581 <= n <= 0x2588:           # lower eighths, and the full block
        draw.rectangle([left, bottom + 1 - round(h * (n - 0x2580) / 8), right, bottom], fill=fg)
    elif 0x2589 <= n <= 0x258f:         # left eighths
        draw.rectangle([left, top, left + max(1, round(w * (0x2590 - n) / 8)) - 1, bottom], fill=fg)
    elif n == 0x2580:
        draw.rectangle([left, top, right, top + h // 2 - 1], fill=fg)
    elif n == 0x2590:
        draw.rectangle([left + w // 2, top, right, bottom], fill=fg)
    elif n in (0x2591, 0x2592, 0x2593):
        step = {0x2591: 4, 0x2592: 2, 0x2593: 1}[n]
        for yy in range(top, bottom + 1, 2):
            for xx in range(left + (yy // 2) % 2, right + 1, step):
                draw.point((xx, yy), fill=fg)
    else:
        draw.rectangle([left, top, right, bottom], outline=fg)


def write(capture, path):
    """Writes the picture; a .png becomes a .svg where python3-pil is missing. The path written."""
    rows = cells(capture)
    if path.endswith(".png"):
        try:
            write_png(rows, path)
            return path
        except (ImportError, OSError):
            path = path[:-4] + ".svg"
    write_svg(rows, path)
    return path


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    if sys.argv[1] == "-":
        text = sys.stdin.read()
    else:
        with open(sys.argv[1], encoding="utf-8") as file:
            text = file.read()
    print(write(text, sys.argv[2]))
