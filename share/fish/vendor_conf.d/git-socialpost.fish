# Completion of git-socialpost for fish. The program itself says what may stand at the cursor, see git-socialpost
# __complete. It stands here, not among the completions, since fish 3.6 looks there for a git-socialpost only.

function __git_socialpost_complete
    set -l words (commandline -opc)
    set -l at 1
    set -l ask git-socialpost
    set -l elsewhere # the options before the program's name that say where the repository is
    if test (string replace -r '.*/' '' -- $words[1]) = git
        set at 2
        while string match -q -- '-*' $words[$at]
            switch $words[$at]
                case -C --git-dir --work-tree
                    set -a elsewhere $words[$at] (string replace -r -- '^~/' "$HOME/" $words[(math $at + 1)])
                    set at (math $at + 1)
                case '--git-dir=*' '--work-tree=*' --bare
                    set -a elsewhere (string replace -r -- '=~/' "=$HOME/" $words[$at])
                case -c --namespace --config-env --super-prefix --attr-source
                    set at (math $at + 1)
            end
            set at (math $at + 1)
        end
        # Without the program, git would look for an alias in that repository.
        if set -q elsewhere[1]; and command -q git-socialpost
            set ask git $elsewhere socialpost
        end
    end
    set -l word (string unescape -- (commandline -ct); or commandline -ct)
    set -l flag (string match -r -- '^-[^=]*=' "$word")
    set -l name (string replace -- "$flag" '' "$word")
    for line in (command $ask __complete $words[(math $at + 1)..] "$word" 2>/dev/null)
        switch $line
            case \tfiles \tfolders
                contains -- -C $elsewhere; and continue # fish looks in this folder only
        end
        switch $line
            case \tfiles
                __fish_complete_path "$name" | string replace -r -- '^' "$flag"
            case \tfolders
                __fish_complete_directories "$name" '' | string replace -r -- '^' "$flag"
            case '*'
                echo $line
        end
    end
end

complete -c git -n '__fish_git_using_command socialpost' -f -k -a '(__git_socialpost_complete)'
complete -c git -n __fish_git_needs_command -f -a socialpost -d 'Post prepared texts, each at most once'
complete -c git-socialpost -f -k -a '(__git_socialpost_complete)'
