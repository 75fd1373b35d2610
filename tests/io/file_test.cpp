#include "pendec/io/file.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "tests/io/io_testing.hpp"

namespace pendec::io {
namespace {

using testing::content;
using testing::file_error;
using testing::TemporaryFolder;
namespace fs = std::filesystem;

std::ptrdiff_t files_in(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

/// While it lives, files cannot grow beyond `bytes`: writing fails as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limited{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limited);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit old_{};
  void (*handler_)(int);
};

TEST(FileErrors, NameThePlaceAsCompilersDo) {
  EXPECT_STREQ(FileError("a.csv", "is empty").what(), "a.csv: is empty");
  EXPECT_STREQ(FileError("a.csv", "is odd", 3).what(), "a.csv:3: is odd");
  const FileError error("a.csv", "is odd", 3, 5);
  EXPECT_STREQ(error.what(), "a.csv:3:5: is odd");
  EXPECT_EQ(error.file(), "a.csv");
  EXPECT_EQ(error.line(), 3);
  EXPECT_EQ(error.column(), 5);
}

TEST(ReadText, ReturnsEveryByte) {
  const TemporaryFolder folder;
  const std::string text("a\r\n\0\xFF\n", 6);
  EXPECT_EQ(read_text(folder.file("a", text)), text);
  EXPECT_EQ(read_text(folder.file("empty", "")), "");
  const std::string large(300000, 'x');
  EXPECT_EQ(read_text(folder.file("large", large)), large);
}

TEST(ReadText, ReadsPipesToTheirEnd) {
  const TemporaryFolder folder;
  const fs::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string text(200000, 'y');
  std::thread writer([&] { std::ofstream(pipe) << text; });
  EXPECT_EQ(read_text(pipe), text);
  writer.join();
}

TEST(ReadText, SaysWhyAFileCannotBeRead) {
  const TemporaryFolder folder;
  EXPECT_EQ(file_error([] { read_text("/no/such/file"); }),
            "/no/such/file: cannot be read: No such file or directory");
  EXPECT_EQ(file_error([&] { read_text(folder.path()); }), folder.path().string() + ": is a directory");
  EXPECT_EQ(file_error([] { read_text("/dev/zero"); }), "/dev/zero: is a device, not a file");
  const fs::path file = folder.file("a", "0123456789");
  EXPECT_EQ(file_error([&] { read_text(file, 9); }), file.string() + ": is too large: more than 9 bytes");
  EXPECT_EQ(read_text(file, 10), "0123456789");
}

TEST(ReadText, RefusesFilesItMayNotRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const TemporaryFolder folder;
  const fs::path file = folder.file("a", "secret");
  fs::permissions(file, fs::perms::none);
  EXPECT_EQ(file_error([&] { read_text(file); }), file.string() + ": cannot be read: Permission denied");
}

TEST(WriteAtomically, MakesAndReplacesFiles) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "result.json";
  write_atomically(file, "old");
  EXPECT_EQ(content(file), "old");
  write_atomically(file, {"new", "", " text"});
  EXPECT_EQ(content(file), "new text");
  EXPECT_EQ(files_in(folder.path()), 1);
}

TEST(WriteAtomically, LeavesTheOldFileAndNothingElseWhereTheDiskIsFull) {
  const TemporaryFolder folder;
  const fs::path file = folder.file("result.json", "old");
  std::string message;
  {
    const FileSizeLimit limit(1000);
    message = file_error([&] { write_atomically(file, std::string(5000, 'x')); });
  }
  EXPECT_EQ(message, file.string() + ": cannot be written: File too large");
  EXPECT_EQ(content(file), "old");
  EXPECT_EQ(files_in(folder.path()), 1);
}

TEST(WriteAtomically, ReportsAFullDevice) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  EXPECT_EQ(file_error([] { write_atomically("/dev/full", "text"); }),
            "/dev/full: cannot be written: No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));  // and not replaced by a file
}

TEST(WriteAtomically, SaysWhyAFileCannotBeWritten) {
  const TemporaryFolder folder;
  EXPECT_EQ(file_error([&] { write_atomically(folder.path(), "text"); }),
            folder.path().string() + ": cannot be written: Is a directory");
  const fs::path lost = folder.path() / "no" / "file";
  EXPECT_EQ(file_error([&] { write_atomically(lost, "text"); }),
            lost.string() + ": cannot be written: No such file or directory");
}

TEST(WriteAtomically, KeepsPermissionsAndLinks) {
  const TemporaryFolder folder;
  const fs::path file = folder.file("file", "old"), link = folder.path() / "link";
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("file", link);
  write_atomically(link, "new");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(content(file), "new");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(WriteAtomically, AcceptsTheLongestNames) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / std::string(255, 'n');
  write_atomically(file, "text");
  EXPECT_EQ(content(file), "text");
}

}  // namespace
}  // namespace pendec::io
