package main

// checkPilot finds keys that let nothing go: no committed post has them.
func (e *exam) checkPilot() (found []finding) {
	if e.cfg.Mode != "pilot" {
		return nil
	}
	var keys []string
	posts := map[string]bool{}
	for _, p := range e.src.posts {
		keys = append(keys, p.Key.String())
		posts[p.Key.String()] = true
	}
	for _, k := range e.cfg.Pilot {
		if posts[k.String()] {
			continue
		}
		found = append(found, saw(doubt, "pilot names %s, and no committed post has that key", k).
			to(orMeant(nearest(k.String(), keys), "correct it in "+configFile+", or commit the post")))
	}
	return found
}
