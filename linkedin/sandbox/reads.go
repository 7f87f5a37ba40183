package sandbox

import (
	"encoding/json"
	"net/http"
	"slices"
)

func (s *Server) identity(w http.ResponseWriter, r *http.Request) {
	token, refusal := s.authenticate(r)
	switch {
	case refusal != nil:
		refusal.write(w)
	case !token.may("openid") || !token.may("profile"):
		denied("userinfo.GET.NO_VERSION").write(w)
	default:
		answer{http.StatusOK, encode(map[string]any{
			"sub": token.Sub, "name": "Sandbox Member", "given_name": "Sandbox", "family_name": "Member",
			"locale": map[string]string{"country": "US", "language": "en"},
		})}.write(w)
	}
}

func (s *Server) read(w http.ResponseWriter, r *http.Request) {
	token, refusal := s.admit(r)
	if refusal == nil {
		refusal = checkPath(r)
	}
	if refusal == nil && !token.may("r_member_social") && !token.may("r_organization_social") {
		refusal = denied("partnerApiPostsExternal.GET." + r.Header.Get("LinkedIn-Version") + "01")
	}
	if refusal != nil {
		refusal.write(w)
		return
	}
	for _, post := range s.Stored() {
		if post.ID == r.PathValue("urn") {
			post.answer().write(w)
			return
		}
	}
	notFound.write(w)
}

// answer gives a post back as it was sent, with what LinkedIn adds.
func (post Stored) answer() answer {
	var body map[string]any
	_ = json.Unmarshal(post.payload, &body) // it was checked before it was stored
	body["id"], body["createdAt"], body["publishedAt"] = post.ID, post.At.UnixMilli(), post.At.UnixMilli()
	return answer{http.StatusOK, encode(body)}
}

func (s *Server) remove(w http.ResponseWriter, r *http.Request) {
	token, refusal := s.admit(r)
	if refusal == nil {
		refusal = checkPath(r)
	}
	if refusal != nil {
		refusal.write(w)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.posts, func(post Stored) bool { return post.ID == r.PathValue("urn") })
	if i >= 0 && !token.mayPostAs(s.posts[i].Author) {
		denied("partnerApiPostsExternal.DELETE").write(w)
		return
	}
	if i >= 0 {
		s.posts = slices.Delete(s.posts, i, i+1)
	}
	answer{status: http.StatusNoContent}.write(w) // also for a post that is gone already
}
