# Ends that nobody expected, and events that are lost: nothing hangs, and all that is missing is counted and said.
require "timeout"
require_relative "lib/ringviz_test"

class EndsTest < RingvizTest
  LEAF = "def leaf = 1\ndef works(n) = n.times { leaf }\n"

  # The report of a script, and what ringviz complained of.
  def report(text, *options, env: {})
    path = File.join(@folder, "report.json")
    result = run_plain([ENV.fetch("RINGVIZ"), *options, "--report=json", "--output=#{path}", "--force", "--", "ruby", write_file(text)], env)
    [JSON.parse(File.read(path), symbolize_names: true), result]
  end

  def calls(report, name) = report[:subroutines].sum { |method| method[:name] == name ? method[:calls] : 0 }

  def test_a_program_is_killed
    seen, result = report(LEAF + "works(1000)\ndef ends = Process.kill(:KILL, $$)\nends\nsleep")
    assert_equal 137, result.status
    assert_equal [1000, 1], [calls(seen, "Object#leaf"), calls(seen, "Object#ends")]
  end

  def test_a_thread_forks_and_its_child_ends_hard
    seen, result = report(LEAF + <<~'RUBY')
      def forks(&block) = Process.wait(fork(&block))
      other = Thread.new { works(100_000) }
      Thread.new { forks { works(10); exit!(0) }; forks { works(10); Process.kill(:KILL, $$) }; forks { Thread.new { works(10) }.join } }.join
      other.join
    RUBY
    assert_equal [0, 100_030], [result.status, calls(seen, "Object#leaf")]
  end

  # The ring is full by then.
  def test_whoever_reads_is_killed
    path = write_file(LEAF + "puts $$\n$stdout.flush\nworks(300_000)\nputs 'done'")
    out, writer = IO.pipe
    ringviz = spawn(ENV.fetch("RINGVIZ"), "--headless", "--ring-events=4096", "--", "ruby", path, out: writer, err: File::NULL)
    writer.close
    out.gets
    Process.kill(:KILL, ringviz)
    Process.wait(ringviz)
    assert_equal "done\n", Timeout.timeout(60) { out.read }
  end

  # A thread that waits for room has the GVL: the wait ends, though nobody reads.
  def test_whoever_reads_stands_still
    output, path = File.join(@folder, "report.json"), write_file(LEAF + <<~'RUBY')
      $stdout.sync = true
      puts $$
      gets
      Thread.new { works(100_000) }.join
      works(100_000)
      puts "done"
      gets
    RUBY
    Open3.popen2e(ENV.fetch("RINGVIZ"), "--ring-events=4096", "--report=json", "--output=#{output}", "--", "ruby", path) do |input, out, ringviz|
      out.gets
      Process.kill(:STOP, ringviz.pid)
      input.puts
      assert_equal "done\n", Timeout.timeout(60) { out.gets }
    ensure
      Process.kill(:CONT, ringviz.pid)
      input.puts
      assert_equal 0, ringviz.value.exitstatus, said = out.read
      assert_match(/drops on ring/, said)
    end
    produced, consumed, dropped = JSON.parse(File.read(output), symbolize_names: true)[:events].values_at(:produced, :consumed, :dropped)
    assert_operator dropped, :>, 0
    assert_equal produced, consumed + dropped
  end

  def test_threads_without_a_ring_are_counted
    seen, result = report(LEAF + "works(10)\n3.times { Thread.new { works(10) }.join }\nThread.new { works(10); Thread.new { works(10) }.join }.join", "--rings=2")
    assert_equal 50, calls(seen, "Object#leaf")
    assert_equal 1, seen[:lost][:threads_without_ring], seen[:lost]
    assert_match(/1 time a thread found no ring/, result.err)
  end

  def test_a_full_ring_waits_or_its_losses_are_counted
    text = LEAF + "works(200_000)"
    seen, = report(text, "--ring-events=4096")
    assert_equal [200_000, 0], [calls(seen, "Object#leaf"), seen[:events][:dropped]]
    seen, result = report(text, "--ring-events=4096", "--policy=switch", "--drain-interval=200ms")
    produced, consumed, dropped = seen[:events].values_at(:produced, :consumed, :dropped)
    assert_operator dropped, :>, 0
    assert_operator produced, :>=, 400_002
    assert_equal produced, consumed + dropped
    assert_equal dropped, result.err.scan(/(\d+) drops on ring 0/).flatten.sum(&:to_i), result.err
  end

  def test_a_foreign_file_is_not_touched
    path, file = write_file(LEAF + "works(3)\nprint RingViz.traced?"), write_file("no trace " * 1000, "file")
    library = Dir[File.join(File.dirname(ENV.fetch("RINGVIZ")), "../{lib,lib/*}/{ringviz/,}ruby/ringviz.rb")].first
    result = run_plain(["ruby", "-r#{library}", path], { "RINGVIZ_FILE" => file })
    said = "ringviz: #{file}: not a trace file of this version; this Ruby is not traced\n"
    assert_equal [0, "false", said], [result.status, result.out, result.err]
    assert_equal "no trace " * 1000, File.read(file)
  end
end
