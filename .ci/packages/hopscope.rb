# A formula of Homebrew that builds from a checkout: brew install --HEAD .ci/packages/hopscope.rb, after HEAD names its address.
class Hopscope < Formula
  desc "Terminal explorer for graph retrieval"
  homepage "https://docs.rs/hopscope"
  head ENV.fetch("HOMEBREW_HOPSCOPE_GIT", "file://#{File.expand_path("../..", __dir__)}"), branch: "main"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "rust" => :build

  def install
    system "cargo", "install", "--features", "mcp,https", *std_cargo_args
    generate_completions_from_executable(bin/"hopscope", "completions")
    (man1/"hopscope.1").write Utils.safe_popen_read(bin/"hopscope", "man")
  end

  test do
    assert_match "titan", shell_output("#{bin}/hopscope ask 'Who discovered the moon Titan?' --top 1 --json")
  end
end
