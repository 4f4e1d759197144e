// anaphora pack [trace] [-o file]
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>

#include "cli/commands.h"
#include "cli/output.h"
#include "trace/archive.h"
#include "trace/child_traces.h"
#include "trace/elf_file.h"
#include "trace/kept_files.h"
#include "trace/mpi_manifest.h"
#include "trace/packed_files.h"
#include "trace/rank_session.h"
#include "trace/rank_trace.h"
#include "trace/replay_session.h"
#include "trace/stream_format.h"
#include "trace/trace_directory.h"
#include "trace/trace_store.h"

namespace ana {

namespace {

// What a replay opens: the program, its loader and every library that was mapped. Other files are in the streams.
class FilesInUse {
 public:
  Status collect(const TraceReader& reader) {
    const std::string& program = reader.manifest().program.path;
    if (Status s = check_replayable(reader.manifest(), {}); !s) return s;
    add(program);
    auto elf = ElfFile::open(program);
    if (!elf) return elf.error();
    if (std::string loader = elf->interpreter(); !loader.empty()) add(loader);
    for (uint32_t i = 0; i < reader.slots(); i++) {
      if (Status s = collect(reader.stream(i)); !s) return s;
    }
    return {};
  }
  const std::vector<std::string>& paths() const { return paths_; }
  const std::vector<KeptInput>& kept() const { return kept_; }

 private:
  Status collect(StreamCursor cursor) {
    for (;;) {
      auto action = cursor.next();
      if (!action) return action.error();
      if (!*action) return {};
      const Value* value = std::get_if<Value>(&**action);
      if (value != nullptr && value->op == kOpKeptFile) {
        auto input = KeptInput::from(*value);
        if (!input) return input.error();
        kept_.push_back(std::move(*input));
      }
      if (value == nullptr || value->op != kOpElfMapping) continue;
      std::string path = path_in(*value);
      struct stat info;
      if (::stat(path.c_str(), &info) != 0 || info.st_size != value->result)
        return Error{path + " is not there any more, or has changed since the recording, so it cannot be packed"};
      add(path);
    }
  }
  void add(const std::string& path) {
    if (std::find(paths_.begin(), paths_.end(), path) == paths_.end()) paths_.push_back(path);
  }
  std::vector<std::string> paths_;
  std::vector<KeptInput> kept_;
};

// Copies the files that `collect` finds into the trace, unless they are there.
Status bring_along(const std::string& trace, const std::function<Result<std::vector<std::string>>()>& collect,
                   bool executable, bool quiet) {
  auto packed = PackedFiles::open(trace);
  if (packed && packed->empty()) {
    auto paths = collect();
    if (!paths) return paths.error();
    if (Status s = pack_files(trace, *paths, executable); !s) {
      if (Status removed = remove_packed_files(trace); !removed) say(removed.error().text);
      return s;
    }
    packed = PackedFiles::open(trace);
  }
  if (!packed) return packed.error();
  if (Status s = packed->check(); !s) return s;
  size_t files = packed->files().size();
  if (!quiet) say(fmt::format("{} has its {} files with it now, {}", trace, files, human_bytes(packed->bytes())));
  return {};
}

Status pack(const std::string& trace, bool quiet) {
  auto reader = TraceReader::open(trace);
  if (!reader) return reader.error();
  auto collect = [&]() -> Result<std::vector<std::string>> {
    FilesInUse files;
    if (Status s = files.collect(*reader); !s) return s.error();
    auto directory = open_trace_directory(trace);
    if (!directory) return directory.error();
    for (const KeptInput& input : files.kept()) {
      if (Status s = bring_kept(directory->get(), input, reader->manifest()); !s) return s.error();
    }
    return files.paths();
  };
  if (Status s = bring_along(trace, collect, false, quiet); !s) return s;
  for (const std::string& child : child_names(trace)) {
    if (Status s = pack(child_trace(trace, child), quiet); !s) return s;
  }
  return {};
}

// The programs of all ranks. MPI itself runs in a replay, so it must be installed there, as must the libraries of ranks
// whose threads were not recorded.
Result<std::vector<std::string>> programs_of(const std::string& trace) {
  auto directory = open_trace_directory(trace);
  if (!directory) return directory.error();
  auto manifest = read_mpi_manifest(directory->get());
  if (!manifest) return Error{trace + ": " + manifest.error().text};
  std::vector<std::string> paths;
  for (uint32_t i = 0; i < manifest->ranks; i++) {
    auto rank = read_rank(directory->get(), i);
    if (!rank) return Error{trace + ": " + rank.error().text};
    auto program = identify_command(rank->program.path);
    if (!program || program->build_id != rank->program.build_id)
      return Error{rank->program.path + " is not the program that was recorded, so it cannot be packed"};
    if (std::find(paths.begin(), paths.end(), rank->program.path) == paths.end()) paths.push_back(rank->program.path);
  }
  return paths;
}

Status pack_mpi(const std::string& trace, bool quiet) {
  for (const std::string& threads : threads_of_ranks(trace)) {
    if (Status s = pack(threads, quiet); !s) return s;
  }
  return bring_along(trace, [&] { return programs_of(trace); }, true, quiet);
}

// The trace of a forked child is nothing without those that it continues.
Status check_alone(const std::string& trace) {
  if (is_mpi_trace(trace)) return {};
  auto reader = TraceReader::open(trace);
  if (!reader) return reader.error();
  if (!reader->manifest().forked) return {};
  return Error{fmt::format("{} continues the trace of the process that forked it, and is nothing without; pack that one: {}",
                           trace, std::filesystem::path(reader->first().directory()).lexically_normal().string())};
}

int run(const std::string& trace, const std::string& archive, bool quiet) {
  auto path = find_trace(trace);
  if (!path) return fail(path.error(), kExitFailed);
  if (Status s = archive.empty() ? Status{} : check_alone(*path); !s) return fail(s.error(), kExitFailed);
  Status packed = is_mpi_trace(*path) ? pack_mpi(*path, quiet) : pack(*path, quiet);
  if (!packed) return fail(packed.error(), kExitFailed);
  if (archive.empty()) return 0;
  if (Status s = write_archive(*path, archive); !s) return fail(s.error(), kExitFailed);
  if (!quiet) say(fmt::format("saved in {}; where it is wanted: tar xf {}", archive, archive));
  return 0;
}

}  // namespace

Command add_pack(CLI::App& root) {
  CLI::App* app = root.add_subcommand("pack", "Put the program and its libraries into a trace, to replay it elsewhere");
  auto trace = std::make_shared<std::string>();
  auto archive = std::make_shared<std::string>();
  auto quiet = std::make_shared<bool>(false);
  app->add_option("trace", *trace, "The trace (default: the latest)")->type_name("TRACE");
  app->add_option("-o,--output", *archive, "Then write all of it into this file, a tar archive compressed with zstd")
      ->type_name("FILE");
  app->add_flag("-q,--quiet", *quiet, "Say nothing but errors");
  return {app, [trace, archive, quiet] { return run(*trace, *archive, *quiet); }};
}

}  // namespace ana
