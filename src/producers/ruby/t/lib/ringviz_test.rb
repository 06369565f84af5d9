# Runs Ruby text under ringviz and gives back what it saw. RINGVIZ names the binary.
require "json"
require "minitest/autorun"
require "open3"
require "tmpdir"

ENV.delete("RUBYOPT")
ENV.delete("RUBYLIB")
Encoding.default_external = Encoding::UTF_8 # in every locale

class RingvizTest < Minitest::Test
  Span = Struct.new(:process, :thread, :depth, :start_ns, :duration_ns, :name, :file, :line, :flags, keyword_init: true)
  Result = Struct.new(:status, :out, :err, :spans)
  YJIT = RubyVM.const_defined?(:YJIT) ? ["--yjit"] : []
  COUNTED = File.join(__dir__, "counted.rb")

  def setup
    @folder = Dir.mktmpdir
    @n_files = 0
  end

  def teardown
    FileUtils.remove_entry(@folder)
  end

  def write_file(text, name = "script#{@n_files += 1}.rb")
    path = File.join(@folder, name)
    File.write(path, text)
    path
  end

  def run_plain(command, env = {})
    out, err, status = Open3.capture3(env, "timeout", "250", *command, stdin_data: "")
    Result.new(status.exitstatus, out, err, [])
  end

  def run_traced(command, env: {})
    path = File.join(@folder, "spans.json")
    result = run_plain([ENV.fetch("RINGVIZ"), "--spans=json", "--output=#{path}", "--force", "--", *command], env)
    result.spans = File.foreach(path).map { |line| JSON.parse(line, symbolize_names: true) }
      .reject { |span| span[:lost] }.map { |span| Span.new(**span.slice(*Span.members)) }
    result
  end

  def names(result, path)
    result.spans.select { |span| span.file == path }.sort_by { |span| [span.start_ns, span.depth] }.map(&:name)
  end

  # Calls as "a(b c) d", of each thread in order of their first call.
  def trees(result, path)
    kept = result.spans.select { |span| span.file == path }.sort_by { |span| [span.start_ns, span.depth] }
    kept.group_by { |span| [span.process, span.thread] }.values.map do |spans|
      n_open = 0
      text = spans.map do |span|
        ends, n_open = ")" * [n_open - span.depth, 0].max, span.depth + 1
        "#{ends} #{span.name.delete_prefix("Object#")}("
      end
      (text.join + ")" * n_open).gsub("()", "").gsub("( ", "(").strip
    end
  end

  # The script's calls as ringviz has them and as TracePoint counts them in the same process.
  def assert_same_counts(text, level: "ruby", only: //, status: 0, options: [], env: {})
    path, counts = write_file(text), File.join(@folder, "counts#{@n_files}")
    result = run_traced(["ruby", *options, "-r#{COUNTED}", path],
                        env: { "RINGVIZ_RUBY" => level, "COUNTS_OF" => path, "COUNTS" => counts, **env })
    assert_equal status, result.status, result.err
    expected = Dir["#{counts}.*"].flat_map { |file| Marshal.load(File.binread(file)) }
      .each_with_object(Hash.new(0)) { |(name, n), all| all[name] += n }.select { |name, _| name.match?(only) }
    seen = result.spans.select { |span| span.file == path || span.file.match?(/\A<internal:(c|\w+\.so)>\z/) }
      .map { |span| span.name.sub(/\Ablock (\(\d+ levels\) )?in <.*/, "block") }.tally.select { |name, _| name.match?(only) }
    refute_empty expected
    assert_equal expected.sort.to_h, seen.sort.to_h, result.err
    result
  end
end
