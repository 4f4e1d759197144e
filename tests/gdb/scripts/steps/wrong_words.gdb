# options: -g 0:0
# expect: ^last-write: No symbol "nowhere" in current context; select a frame
# expect: ^last-write needs an expression
# expect: ^last-write: .*5
# expect: ^races: No symbol "nowhere" in current context; select a frame
# expect: ^when takes no arguments
# expect: ^waits takes no arguments
# expect: ^restart needs the number of a checkpoint, .* not x
# expect: ^There is no checkpoint 9\.
# expect: ^delete checkpoint needs the number of a checkpoint, .* not nothing
# expect: ^seek needs a thread and an event
# expect: ^seek needs a thread and an event
# expect: ^the recording has no event 99:4; this is its end
# never: Python Exception|Error occurred in Python
python
def attempt(words):
    try:
        gdb.execute(words)
    except gdb.error as problem:
        print(problem)
end
python attempt("last-write nowhere")
python attempt("last-write")
python attempt("last-write 5")
python attempt("races here nowhere")
python attempt("when then")
python attempt("waits for")
python attempt("restart x")
python attempt("restart 9")
python attempt("delete checkpoint")
python attempt("seek")
python attempt("seek 1:x")
python attempt("seek 99:4")
