#include "trace/rank_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>

#include "trace/chunk_file.h"
#include "trace/rank_events.h"
#include "trace/trace_directory.h"
#include "trace/version.h"

namespace ana {

using nlohmann::json;

namespace {

constexpr uint32_t kDescriptionSlot = 0xffffffffu;
constexpr uint64_t kMaxRankBytes = uint64_t{1} << 40;
constexpr std::array<const char*, 4> kModes = {"all", "wildcard", "racing", "auto"};

struct Counter {
  const char* name;
  uint64_t RankCounts::*count;
  uint64_t LiveHeader::*live;
};
constexpr Counter kCounters[] = {
    {"messages_sent", &RankCounts::messages_sent, &LiveHeader::messages_sent},
    {"messages_received", &RankCounts::messages_received, &LiveHeader::messages_received},
    {"wildcard_receives", &RankCounts::wildcard_receives, &LiveHeader::wildcard_receives},
    {"traced", &RankCounts::traced, &LiveHeader::traced},
    {"raced", &RankCounts::raced, &LiveHeader::raced},
    {"outcomes", &RankCounts::outcomes, &LiveHeader::outcomes},
    {"no_outcomes", &RankCounts::no_outcomes, &LiveHeader::no_outcomes},
    {"hints_sent", &RankCounts::hints_sent, &LiveHeader::hints_sent},
    {"hint_bytes", &RankCounts::hint_bytes, &LiveHeader::hint_bytes},
    {"probed", &RankCounts::probed, &LiveHeader::probed},
    {"opened", &RankCounts::opened, &LiveHeader::opened},
};

json site_to_json(const RankSite& s) {
  return {{"module", s.module}, {"offset", s.offset},   {"call", s.call},    {"receives", s.receives},
          {"raced", s.raced},   {"sources", s.sources}, {"racing", s.racing}};
}

Status describe(const json& in, RankTrace& t) try {
  t.rank = in.at("rank").get<uint32_t>();
  t.ranks = in.at("ranks").get<uint32_t>();
  t.id = in.at("id").get<uint64_t>();
  t.mpi = in.at("mpi").get<std::string>();
  const json& options = in.at("options");
  auto mode = parse_rank_mode(options.at("mode").get<std::string>());
  if (!mode) return Error{"its mode is unknown"};
  t.options = {*mode, options.at("full_check").get<bool>(), options.at("chaos").get<uint32_t>(),
               options.value("race_graph", false), options.value("contents", false),
               options.value("racing_after", kRacingAfter)};
  t.command = in.at("command").get<std::vector<std::string>>();
  t.cwd = in.at("cwd").get<std::string>();
  const json& program = in.at("program");
  t.program = {program.at("path").get<std::string>(), program.at("build_id").get<std::string>(),
               program.at("bytes").get<uint64_t>()};
  t.finished = in.at("finished").get<bool>();
  t.aborted = in.at("aborted").get<bool>();
  for (const Counter& c : kCounters) t.counts.*c.count = in.at("counts").at(c.name).get<uint64_t>();
  for (const json& s : in.at("sites")) {
    t.sites.push_back({s.at("module").get<std::string>(), s.at("offset").get<uint64_t>(),
                       s.at("call").get<uint32_t>(), s.at("receives").get<uint64_t>(), s.at("raced").get<uint64_t>(),
                       s.at("sources").get<uint64_t>(), s.at("racing").get<uint64_t>()});
  }
  for (const json& s : in.at("streams"))
    t.streams.push_back(
        {s.at("stream").get<uint32_t>(), s.at("calls").get<uint64_t>(), s.at("inside").get<bool>(), {}});
  if (in.contains("end")) t.end = end_from_json(in.at("end"));
  return {};
} catch (const json::exception& e) {
  return Error{fmt::format("its description is damaged: {}", e.what())};
}

json parse(const char* text, size_t bytes) { return json::parse(text, text + bytes, nullptr, false); }

RankStream& stream_of(RankTrace& t, uint32_t number) {
  for (RankStream& s : t.streams) {
    if (s.stream == number) return s;
  }
  t.streams.push_back({number, 0, false, {}});
  return t.streams.back();
}

void append(std::vector<uint8_t>& bytes, const uint8_t* from, size_t n) { bytes.insert(bytes.end(), from, from + n); }

void read_sites(const SiteTable& table, RankTrace& t) {
  uint32_t n = std::min(table.sites, kMaxSites);
  for (uint32_t i = 0; i < n; i++) {
    const SiteRecord& s = table.site[i];
    std::string module;
    if (s.module < sizeof table.names)
      module.assign(table.names + s.module, strnlen(table.names + s.module, sizeof table.names - s.module));
    t.sites.push_back({module, s.offset, s.call, s.receives, s.raced, s.sources, s.racing});
  }
}

// What was received of each channel, where messages that were not could be taken by the wrong receive in a replay.
void add_received(const std::vector<LiveReceived>& rows, RankTrace& t) {
  std::set<uint64_t> matter;
  for (const LiveReceived& row : rows) {
    if (row.source == kAllSources && row.count != 0) matter.insert(row.communicator);
  }
  std::vector<uint8_t>& bytes = stream_of(t, 0).bytes;
  for (const LiveReceived& row : rows) {
    if (!matter.contains(row.communicator)) continue;
    uint8_t event[kMaxEventBytes];
    uint8_t* end = put_event(event, {.kind = EventKind::kReceived,
                                     .value = static_cast<uint64_t>(row.source + 1),
                                     .tag = row.tag,
                                     .index = row.count,
                                     .communicator = row.communicator});
    append(bytes, event, static_cast<size_t>(end - event));
  }
}

Status read_live(const uint8_t* base, uint64_t size, RankTrace& t) {
  if (size < kFirstEventBlock * kLiveBlockBytes) return Error{"it is shorter than its first blocks"};
  const auto& header = *reinterpret_cast<const LiveHeader*>(base);
  if (header.version != kRankVersion) {
    return Error{fmt::format("it has version {}, this tool reads {}: use the version that recorded it", header.version,
                             kRankVersion)};
  }
  if (header.json_bytes > kLiveBlockBytes - kLiveJsonOffset) return Error{"its description is too long"};
  json in = parse(reinterpret_cast<const char*>(base) + kLiveJsonOffset, header.json_bytes);
  if (Status s = describe(in, t); !s) return s;
  t.finished = header.finished != 0;
  t.aborted = header.aborted != 0;
  for (const Counter& c : kCounters) t.counts.*c.count = header.*c.live;
  read_sites(*reinterpret_cast<const SiteTable*>(base + kLiveBlockBytes), t);
  for (uint32_t i = 0; i < kMaxStreams; i++) {
    if (header.calls[i] == 0) continue;
    RankStream& stream = stream_of(t, i);
    stream.calls = header.calls[i] >> 1;
    stream.inside = (header.calls[i] & 1) == 0;
  }
  std::vector<LiveReceived> received;
  for (uint64_t i = kFirstEventBlock; i < header.blocks && (i + 1) * kLiveBlockBytes <= size; i++) {
    const auto& block = *reinterpret_cast<const LiveBlock*>(base + i * kLiveBlockBytes);
    if (block.used > kBlockCapacity) return Error{fmt::format("block {} claims more than it can hold", i)};
    if (block.stream == kReceivedBlock) {
      const auto* rows = reinterpret_cast<const LiveReceived*>(&block + 1);
      received.insert(received.end(), rows, rows + block.used / sizeof(LiveReceived));
      continue;
    }
    if (block.used == 0 && block.pending_no == 0) continue;
    std::vector<uint8_t>& bytes = stream_of(t, block.stream).bytes;
    append(bytes, reinterpret_cast<const uint8_t*>(&block + 1), block.used);
    if (block.pending_no != 0) {
      uint8_t event[kMaxEventBytes];
      uint8_t* end = put_event(event, {.kind = EventKind::kNo, .value = block.pending_no});
      append(bytes, event, static_cast<size_t>(end - event));
    }
  }
  if (!t.finished || header.unreceived != 0) add_received(received, t);
  return {};
}

Status read_packed(const uint8_t* base, uint64_t size, RankTrace& t) {
  FileHeader file;
  if (size < sizeof file) return Error{"it is shorter than its header"};
  memcpy(&file, base, sizeof file);
  if (file.format != kTraceFormat || file.stream_version != kRankVersion) {
    return Error{fmt::format("it has format {}.{}, this tool reads {}.{}: use the version that recorded it",
                             file.format, file.stream_version, kTraceFormat, kRankVersion)};
  }
  uint64_t offset = sizeof file, chunks = 0, expected = 0;
  ChunkHeader h;
  auto description = read_chunk(base, size, offset, h);
  if (!description) return description.error();
  if (h.slot != kDescriptionSlot) return Error{"it does not begin with its description"};
  json in = parse(reinterpret_cast<const char*>(description->data()), description->size());
  if (Status s = describe(in, t); !s) return s;
  expected = in.value("chunks", uint64_t{0});
  for (; offset < size; chunks++) {
    auto raw = read_chunk(base, size, offset, h);
    if (!raw) return raw.error();
    append(stream_of(t, h.slot).bytes, raw->data(), raw->size());
  }
  if (chunks != expected) return Error{fmt::format("it has {} of {} chunks: the end is missing", chunks, expected)};
  t.packed = true;
  return {};
}

Status write_packed(int fd, const RankTrace& t) {
  json description = to_json(t);
  uint64_t chunks = 0;
  for (const RankStream& s : t.streams) chunks += (s.bytes.size() + kMaxChunkBytes - 1) / kMaxChunkBytes;
  description["chunks"] = chunks;
  std::string text = description.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > kMaxChunkBytes) return Error{"the description of the rank is too long"};
  FileHeader file{kPackedMagic, kTraceFormat, kRankVersion};
  if (Status s = write_all(fd, &file, sizeof file); !s) return s;
  uint64_t offset = sizeof file;
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  if (Status s = put_chunk(fd, offset, kDescriptionSlot, bytes, text.size()); !s) return s;
  for (const RankStream& stream : t.streams) {
    for (size_t at = 0; at < stream.bytes.size(); at += kMaxChunkBytes) {
      size_t bytes = std::min<size_t>(kMaxChunkBytes, stream.bytes.size() - at);
      if (Status s = put_chunk(fd, offset, stream.stream, stream.bytes.data() + at, bytes); !s) return s;
    }
  }
  return {};
}

}  // namespace

uint64_t RankTrace::raw_bytes() const {
  uint64_t sum = 0;
  for (const RankStream& s : streams) {
    if (s.stream < kMaxStreams) sum += s.bytes.size();
  }
  return sum;
}

const char* name_of(RankMode mode) { return kModes[static_cast<size_t>(mode)]; }

std::optional<RankMode> parse_rank_mode(const std::string& name) {
  for (size_t i = 0; i < kModes.size(); i++) {
    if (name == kModes[i]) return static_cast<RankMode>(i);
  }
  return std::nullopt;
}

std::string rank_file_name(uint32_t rank) { return fmt::format("rank-{}", rank); }

json to_json(const RankTrace& t) {
  json out = {{"rank", t.rank},
              {"ranks", t.ranks},
              {"id", t.id},
              {"mpi", t.mpi},
              {"options",
               {{"mode", name_of(t.options.mode)},
                {"full_check", t.options.full_check},
                {"chaos", t.options.chaos},
                {"race_graph", t.options.race_graph},
                {"racing_after", t.options.racing_after}}},
              {"command", t.command},
              {"cwd", t.cwd},
              {"program", {{"path", t.program.path}, {"build_id", t.program.build_id}, {"bytes", t.program.bytes}}},
              {"finished", t.finished},
              {"aborted", t.aborted},
              {"sites", json::array()},
              {"streams", json::array()}};
  if (t.options.contents) out["options"]["contents"] = true;
  for (const Counter& c : kCounters) out["counts"][c.name] = t.counts.*c.count;
  for (const RankSite& s : t.sites) out["sites"].push_back(site_to_json(s));
  for (const RankStream& s : t.streams)
    out["streams"].push_back(
        {{"stream", s.stream}, {"calls", s.calls}, {"inside", s.inside}, {"raw_bytes", s.bytes.size()}});
  if (t.end) out["end"] = end_to_json(*t.end);
  return out;
}

Status create_live_rank(int directory, const RankTrace& trace) {
  std::string text = to_json(trace).dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > kLiveBlockBytes - kLiveJsonOffset)
    return Error{"the command line is too long to be kept in the trace of a rank"};
  std::vector<uint8_t> bytes(kFirstEventBlock * kLiveBlockBytes);
  auto& header = *reinterpret_cast<LiveHeader*>(bytes.data());
  header.magic = kLiveMagic;
  header.version = kRankVersion;
  header.rank = trace.rank;
  header.ranks = trace.ranks;
  header.mode = static_cast<uint32_t>(trace.options.mode);
  header.blocks = kFirstEventBlock;
  header.json_bytes = static_cast<uint32_t>(text.size());
  header.id = trace.id;
  memcpy(bytes.data() + kLiveJsonOffset, text.data(), text.size());
  auto fd = create_file(directory, rank_file_name(trace.rank).c_str());
  if (!fd) return fd.error();
  return write_all(fd->get(), bytes.data(), bytes.size());
}

Result<RankTrace> read_rank(int directory, uint32_t rank) {
  std::string name = rank_file_name(rank);
  auto fd = open_file(directory, name.c_str());
  if (!fd) return fd.error();
  struct stat info;
  if (::fstat(fd->get(), &info) != 0) return system_error("cannot stat " + name, errno);
  uint64_t size = static_cast<uint64_t>(info.st_size);
  if (size < sizeof(uint64_t) || size > kMaxRankBytes) return Error{name + " is not the trace of a rank"};
  Mapping file(fd->get(), size);
  if (file.base() == nullptr) return system_error("cannot map " + name, errno);
  uint64_t magic;
  memcpy(&magic, file.base(), sizeof magic);
  RankTrace trace;
  Status read = magic == kLiveMagic     ? read_live(file.base(), size, trace)
                : magic == kPackedMagic ? read_packed(file.base(), size, trace)
                                        : Status(Error{"it does not begin like the trace of a rank"});
  if (!read) return Error{name + ": " + read.error().text};
  if (trace.rank != rank) return Error{fmt::format("{} is the trace of rank {}", name, trace.rank)};
  trace.stored_bytes = size;
  return trace;
}

Status pack_rank(int directory, uint32_t rank, const ProgramEnd& end) {
  auto trace = read_rank(directory, rank);
  if (!trace) return trace.error();
  if (trace->packed) return {};
  trace->end = end;
  std::string name = rank_file_name(rank), temporary = name + ".new";
  ::unlinkat(directory, temporary.c_str(), 0);
  auto fd = create_file(directory, temporary.c_str());
  if (!fd) return fd.error();
  if (Status s = write_packed(fd->get(), *trace); !s) return s;
  if (::renameat(directory, temporary.c_str(), directory, name.c_str()) != 0)
    return system_error("cannot replace " + name, errno);
  return {};
}

std::optional<size_t> find_damage(const RankStream& stream) {
  const uint8_t* begin = stream.bytes.data();
  const uint8_t* end = begin + stream.bytes.size();
  RankDecoder decoder;
  RankEvent event;
  for (const uint8_t* at = begin; at < end;) {
    const uint8_t* next = decoder.get(at, end, event);
    if (next == nullptr) return static_cast<size_t>(at - begin);
    at = next;
  }
  return std::nullopt;
}

}  // namespace ana
