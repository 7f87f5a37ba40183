.POSIX:

PREFIX = $(HOME)/.local
FUZZTIME = 10s

STATICCHECK = bin/tools/staticcheck-v0.8.2

help: ## show the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1	\2/p' Makefile | expand -t 12

demo: build ## a round against a stand-in LinkedIn, in a throw-away folder
	@sh testdata/demo.sh bin

build: ## bin/git-socialpost and bin/linkedin-sandbox
	go build -trimpath -o bin/ ./cmd/git-socialpost ./cmd/linkedin-sandbox

install: build ## the binary and the man page, under PREFIX (~/.local)
	mkdir -p "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/man/man1"
	install -m 755 bin/git-socialpost "$(DESTDIR)$(PREFIX)/bin/"
	install -m 644 docs/git-socialpost.1 "$(DESTDIR)$(PREFIX)/share/man/man1/"

test: ## the tests
	go test ./...

test-slow: ## the scenarios that wait for minutes
	go test ./cmd/git-socialpost -run TestSlowScript -slow -timeout 30m

test-race: ## unit tests and the concurrent scenarios with the race detector, which needs a C compiler
	go test -race -skip '^TestScript$$' ./...
	go test -race ./cmd/git-socialpost -run 'TestScript/.*(race|signal|busy)'

fuzz: ## each fuzz target for FUZZTIME (10s)
	@for pkg in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' "$$pkg" | grep '^Fuzz'); do \
			echo "$$pkg $$target"; \
			go test "$$pkg" -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) || exit 1; \
		done; \
	done

check: $(STATICCHECK) ## formatting, vet, staticcheck, go.mod, shell scripts, man page
	@unformatted=$$(gofmt -l .) && if [ -n "$$unformatted" ]; then echo "gofmt -w $$unformatted"; exit 1; fi
	go vet ./... ./testdata/bench
	$(STATICCHECK) ./... ./testdata/bench
	go mod tidy -diff
	sh .ci/lint

$(STATICCHECK):
	GOBIN="$$PWD/bin/tools" go install honnef.co/go/tools/cmd/staticcheck@v0.8.2
	mv bin/tools/staticcheck $@

bench: build ## one delivery against bare git commands, and how many git processes it starts
	go run ./testdata/bench bin

clean: ## remove what was built
	rm -rf bin
