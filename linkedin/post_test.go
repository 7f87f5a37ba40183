package linkedin

import "testing"

// These bytes are the identity of a delivery's content. They must never change.
func TestPayload(t *testing.T) {
	const rest = `"distribution":{"feedDistribution":"MAIN_FEED","targetEntities":[],"thirdPartyDistributionChannels":[]},`
	const end = `"lifecycleState":"PUBLISHED","isReshareDisabledByAuthor":false}`
	for _, tt := range []struct {
		name string
		post Post
		want string
	}{
		{
			"text",
			Post{Author: "urn:li:person:782bbtaQ", Visibility: "PUBLIC", Text: "A & B <1> #go\n", Title: "no link, no card"},
			`{"author":"urn:li:person:782bbtaQ","commentary":"A & B \\<1\\> {hashtag|\\#|go}\n","visibility":"PUBLIC",` + rest + end,
		},
		{
			"card",
			Post{Author: "urn:li:organization:2414183", Visibility: "PUBLIC", Text: "Read", Link: "https://example.com/?a=1&b=#c",
				Title: "C# (a_b)", Description: "One <line>"},
			`{"author":"urn:li:organization:2414183","commentary":"Read","visibility":"PUBLIC",` + rest +
				`"content":{"article":{"source":"https://example.com/?a=1&b=#c","title":"C# (a_b)","description":"One <line>"}},` + end,
		},
		{
			"card without description",
			Post{Author: "urn:li:person:x", Visibility: "CONNECTIONS", Text: "Read", Link: "https://example.com/", Title: "T"},
			`{"author":"urn:li:person:x","commentary":"Read","visibility":"CONNECTIONS",` + rest +
				`"content":{"article":{"source":"https://example.com/","title":"T"}},` + end,
		},
	} {
		if got := string(tt.post.Payload()); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

func TestText(t *testing.T) {
	for _, payload := range []string{"", "{}", `{"commentary":1}`, `{"commentary":"a (b"}`} {
		if got, err := Text([]byte(payload)); err == nil {
			t.Errorf("Text(%s) = %q, want an error", payload, got)
		}
	}
}
