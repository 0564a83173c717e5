# Turns pgNN.tsv (class_hex, event_id, class_name, event_name; sorted; one header row) into C tables.
# The major version is taken from the file's name. Rows the tables cannot hold stop the build.

function fail(why)
{
	printf "%s:%d: %s\n", FILENAME, FNR, why >"/dev/stderr"
	failed = 1
	exit 1
}

function close_array()
{
	if (array != "")
		print "};"
	array = ""
}

BEGIN {
	FS = "\t"
	print "/* Generated from src/waitevents: do not edit. */"
}

FNR == 1 {
	close_array()
	major = FILENAME
	sub(/.*\//, "", major)
	if (major !~ /^pg[0-9]+\.tsv$/)
		fail("the file is not called pgNN.tsv")
	gsub(/[^0-9]/, "", major)
	majors[++n_majors] = major
	if ($1 != "class_hex")
		fail("no header row")
	next
}

NF != 4 || $1 !~ /^0[0-9A-F]$/ || $2 !~ /^[0-9]+$/ || $2 > 1023 || $3 !~ /^[A-Za-z]+$/ ||
$4 !~ /^[A-Za-z0-9_]+$/ || length($4) > 63 {
	fail("malformed row")
}

{
	name = "pg" major "_" $1
	if (name in class_name && (name != array || class_name[name] != $3))
		fail("the rows of a class are not together")
	if ((name, $2) in seen)
		fail("duplicate event")
	seen[name, $2] = 1
	if (name != array) {
		close_array()
		array = name
		class_name[name] = $3
		classes[major] = classes[major] " " $1
		printf "static const char *const %s[] = {\n", name
	}
	printf "\t[%d] = \"%s\",\n", $2, $4
}

END {
	if (failed)
		exit 1
	close_array()
	print "static const struct major_table major_tables[] = {"
	for (i = 1; i <= n_majors; i++) {
		printf "\t{.major = %s,\n\t .classes = {\n", majors[i]
		n = split(classes[majors[i]], class, " ")
		for (j = 1; j <= n; j++) {
			name = "pg" majors[i] "_" class[j]
			printf "\t\t[0x%s] = {\"%s\", %s, ARRAY_SIZE(%s)},\n", class[j], class_name[name], name, name
		}
		print "\t }},"
	}
	print "};"
	print "static const int majors[] = {"
	for (i = 1; i <= n_majors; i++)
		printf "\t%s,\n", majors[i]
	print "};"
}
