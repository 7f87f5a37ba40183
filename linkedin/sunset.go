package linkedin

import "time"

// SunsetsAsOf is the day on which the table behind [Sunset] was true.
const SunsetsAsOf = "2026-09-19"

// sunsets are the days on which versions of the Marketing API end, from Microsoft Learn: LinkedIn, Marketing, Versioning
// (a version lives for at least a year) and Integrations, Migrations (the days). Not every month has a version.
var sunsets = map[string]string{
	"202509": "2026-09-15",
	"202510": "2026-10-15",
	"202511": "2026-11-16",
	"202601": "2027-01-15",
	"202602": "2027-02-15",
	"202603": "2027-03-16",
	"202604": "2027-04-15",
	"202605": "2027-05-15",
	"202606": "2027-06-15",
	"202607": "2027-07-15",
	"202608": "2027-08-17",
	"202609": "2027-09-15",
}

// Sunset returns the day, in UTC, on which LinkedIn announced to retire an API version, if that is known here.
func Sunset(version string) (day time.Time, known bool) {
	day, err := time.Parse(time.DateOnly, sunsets[version])
	return day, err == nil
}
