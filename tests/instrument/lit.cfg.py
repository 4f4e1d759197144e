import os

import lit.formats

config.name = "anaphora-instrument"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".ll", ".c", ".cc", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = config.anaphora_source
config.test_exec_root = config.anaphora_binary

# %opt checks the IR after the pass; %plain has every elision switched off, so that a test sees one check per access.
plain = " -ana-merge=0 -ana-hoist=0 -ana-ranges=0 -ana-skip-polls=0"
run = f"{config.opt} -load-pass-plugin={config.anaphora_pass} -passes=anaphora,verify -S"
tools = os.path.dirname(config.filecheck)
config.environment["PATH"] = os.pathsep.join([tools, os.path.dirname(config.clang), config.environment["PATH"]])
config.substitutions += [
    ("%plain", run + plain),
    ("%opt", run),
    ("%clang", f"{config.clang} -fpass-plugin={config.anaphora_pass}"),
    ("%cc", config.anaphora_cc),
    ("%cxx", config.anaphora_cxx),
    ("%check", f"{config.filecheck} %s"),
]
