# Completion of git-socialpost for fish. The program itself says what may stand at the cursor, see git-socialpost
# __complete. It stands here, not among the completions, since fish 3.6 looks there for a git-socialpost only.

function __git_socialpost_complete
    set -l words (commandline -opc)
    set -l at 1
    if test (string replace -r '.*/' '' -- $words[1]) = git
        set at (contains -i -- socialpost $words; or echo 2) # at 2 stands an alias
    end
    set -l word (string unescape -- (commandline -ct); or commandline -ct)
    set -l flag (string match -r -- '^-[^=]*=' "$word")
    set -l name (string replace -- "$flag" '' "$word")
    for line in (git-socialpost __complete $words[(math $at + 1)..] "$word" 2>/dev/null)
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
