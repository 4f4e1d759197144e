# expect: seen 4
# expect: seen 5
# expect: breakpoint already hit 5 times
break square
commands
silent
printf "seen %d\n", n
end
ignore 1 3
continue
continue
info breakpoints
