.POSIX:
.PHONY: help demo build install test test-slow test-race test-model test-cuts test-kills test-servers test-hooks test-browser test-gitea test-gits test-load soak fuzz check bench clean manual test-ci package test-shells test-package

PREFIX = $(HOME)/.local
FUZZTIME = 10s
PART = 0/1
SOAK = 30m
GITS = bin/gits
SHELLS = bash-completion zsh fish
SERVERS = nginx-light fcgiwrap openssh-server gitolite3
BROWSER = chromium chromium-driver

STATICCHECK = bin/tools/staticcheck-v0.8.2
ACTIONLINT = bin/tools/actionlint-v1.7.12
GORELEASER = bin/tools/goreleaser-v2.15.1

help: ## show the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1	\2/p' Makefile | expand -t 12

demo: build ## a round against a stand-in LinkedIn, in a throw-away folder
	@sh testdata/demo.sh bin

build: ## bin/git-socialpost and bin/linkedin-sandbox
	go build -trimpath -o bin/ ./cmd/git-socialpost ./cmd/linkedin-sandbox

install: build ## the binary, the man page and completions, under PREFIX (~/.local)
	mkdir -p "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/man/man1"
	install -m 755 bin/git-socialpost "$(DESTDIR)$(PREFIX)/bin/"
	install -m 644 docs/git-socialpost.1 "$(DESTDIR)$(PREFIX)/share/man/man1/"
	for folder in share/bash-completion/completions share/zsh/site-functions share/fish/vendor_conf.d; do \
		mkdir -p "$(DESTDIR)$(PREFIX)/$$folder" && install -m 644 $$folder/* "$(DESTDIR)$(PREFIX)/$$folder/" || exit 1; \
	done

test: ## the tests
	go test -timeout 30m ./...

test-slow: ## the scenarios that take minutes
	go test ./cmd/git-socialpost -run TestSlowScript -slow -timeout 30m

test-race: ## unit tests and the concurrent scenarios with the race detector, which needs a C compiler
	go test -race -skip '^Test(Script|Model|Cuts|Kills|Server|History|Secrets|Terminal|Commands|Action|Workflow|GitLab)' ./...
	go test -race ./cmd/git-socialpost -run 'TestScript/.*(race|signal|busy)'

fuzz: ## each fuzz target for FUZZTIME (10s)
	@for pkg in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' "$$pkg" | grep '^Fuzz'); do \
			echo "$$pkg $$target"; \
			go test "$$pkg" -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s || exit 1; \
		done; \
	done

test-model: ## the protocol's two models: three runners over the program's own rules, and docs/protocol.pml with spin
	go test ./cmd/git-socialpost -run '^TestModel' -slow -count=1 -timeout 30m
	sh testdata/spin.sh

test-cuts: ## a delivery cut at every byte, for hours; PART=i/n for a part of it
	@mkdir -p bin
	go test ./cmd/git-socialpost -run '^TestCuts$$' -exhaustive -part=$(PART) -count=1 -timeout 12h -v >bin/cuts.log 2>&1; \
		status=$$?; grep -v '^=== \|^ *--- PASS' bin/cuts.log; exit $$status

test-kills: ## a delivery killed at every system call that others can see (Linux on amd64), for hours; PART=i/n
	@mkdir -p bin
	go test ./cmd/git-socialpost -run '^TestKills$$' -exhaustive -part=$(PART) -count=1 -timeout 12h -v >bin/kills.log 2>&1; \
		status=$$?; grep -v '^=== \|^ *--- PASS' bin/kills.log; exit $$status

test-servers: ## deliveries through nginx, sshd and gitolite, which root installs
	sh .ci/packages $(SERVERS)
	go test ./cmd/git-socialpost -run '^TestServer' -servers=all -count=1 -timeout 30m

test-hooks: ## pushes through husky, lefthook and pre-commit, which npm and Debian's archive give; elsewhere without pre-commit
	command -v npm >/dev/null || sh .ci/packages npm
	if [ -r /etc/apt/sources.list.d/debian.sources ]; then sh .ci/packages pre-commit && sh testdata/precommit.sh bin/.precommit trixie; \
		else echo "not Debian: what is here of pre-commit is tested, else it is left out"; fi
	go test ./cmd/git-socialpost -run '^TestHookManagers$$' -managers="$$PWD/bin/.precommit" -count=1 -timeout 10m

test-shells: ## Tab in bash, zsh and fish, which root installs
	sh .ci/packages $(SHELLS)
	go test ./cmd/git-socialpost -run '^TestCompletion$$' -shells -count=1 -timeout 10m

package: $(GORELEASER) ## archives, deb, rpm and cask of this commit, in dist; building goreleaser takes minutes, once
	$(GORELEASER) release --snapshot --clean

test-package: $(GORELEASER) ## a release of this commit, twice, with what is in it looked at and run
	sh .ci/packages unzip rpm ruby
	sh testdata/package.sh $(GORELEASER)

$(GORELEASER):
	GOBIN="$$PWD/bin/tools" go install github.com/goreleaser/goreleaser/v2@v2.15.1
	mv bin/tools/goreleaser $@

test-gitea: ## deliveries through Gitea, which is built first, once: ten minutes or more
	gitea=$$(sh testdata/gitea.sh) && go test ./cmd/git-socialpost -run '^TestServers/gitea' -gitea="$$gitea" -count=1 -timeout 30m

test-gits: ## deliveries with git 2.30, 2.47 and 2.55, which Debian's archive gives (500 MB)
	sh testdata/gits.sh $(GITS)
	go test ./cmd/git-socialpost -run '^TestGitVersions$$' -gits="$$PWD/$(GITS)" -count=1 -timeout 30m

test-browser: ## logins through Chromium, which root installs
	sh .ci/packages $(BROWSER)
	go test ./cmd/git-socialpost -run '^TestBrowser$$' -browser -count=1 -timeout 10m

test-ci: ## what the CI files do, with gh and cmark-gfm, which root installs
	sh .ci/packages gh cmark-gfm
	go test ./cmd/git-socialpost -run '^Test(Preview|Workflow|Action|GitLab)' -ci-tools -count=1

test-load: ## 20 runners at once on 200 deliveries, measured
	go test ./cmd/git-socialpost -run '^TestLoad$$' -load 200 -count=1 -timeout 1h -v

soak: ## random histories for SOAK (30m)
	go test ./cmd/git-socialpost -run '^TestHistory$$' -soak $(SOAK) -count=1 -timeout 6h -v

check: $(STATICCHECK) $(ACTIONLINT) ## formatting, vet, staticcheck, go.mod, shell scripts, workflows, man page
	@unformatted=$$(gofmt -l .) && if [ -n "$$unformatted" ]; then echo "gofmt -w $$unformatted"; exit 1; fi
	go vet ./... ./testdata/bench
	$(STATICCHECK) ./... ./testdata/bench
	go mod tidy -diff
	sh .ci/lint

manual: ## the man page as the text of git socialpost help; needs mandoc
	sh .ci/manual >cmd/git-socialpost/manual.txt

$(STATICCHECK):
	GOBIN="$$PWD/bin/tools" go install honnef.co/go/tools/cmd/staticcheck@v0.8.2
	mv bin/tools/staticcheck $@

$(ACTIONLINT):
	GOBIN="$$PWD/bin/tools" go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
	mv bin/tools/actionlint $@

bench: build ## one delivery against bare git commands, and how many git processes it starts
	go run ./testdata/bench bin

clean: ## remove what was built
	rm -rf bin
