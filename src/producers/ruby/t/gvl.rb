# When threads have the GVL, wait for it and go on without it; when fibers are suspended.
require_relative "lib/ringviz_test"

class GvlTest < RingvizTest
  def report(text, env = {})
    path = File.join(@folder, "report.json")
    result = run_plain([ENV["RINGVIZ"], "--report=json", "--output=#{path}", "--force", "--", "ruby", write_file(text)], env)
    assert_equal 0, result.status, result.err
    JSON.parse(File.read(path), symbolize_names: true)
  end

  # Of Ruby's own threads, which wake others, it tells nothing.
  def has_states?(thread) = thread.values_at(:ready_ns, :suspended_ns).compact.sum > 0

  def other_threads(report)
    report[:threads].select { |thread| thread[:thread] != thread[:process] && has_states?(thread) }
  end

  def method_named(report, name) = report[:subroutines].find { |method| method[:name] == name }

  def test_a_thread_that_wakes_waits_for_the_one_that_runs
    seen = report(<<~'RUBY')
      def naps = sleep(0.05)
      def spins = (nil until $is_over)
      spinner = Thread.new { spins }
      Thread.new { 5.times { naps }; $is_over = true }.join
      spinner.join
    RUBY
    naps, spins = method_named(seen, "Object#naps"), method_named(seen, "Object#spins")
    assert_operator naps[:self_suspended_ns], :>=, 5 * 25_000_000 # some of it passes before it sleeps
    assert_operator naps[:self_ready_ns], :>, 0
    assert_operator spins[:self_ready_ns], :>, 0
    assert_equal 2, other_threads(seen).size
    naps_in, spins_in = other_threads(seen).sort_by { |thread| -thread[:suspended_ns] }
    assert_operator naps_in[:suspended_ns], :>=, naps[:self_suspended_ns]
    assert_operator spins_in[:ready_ns], :>=, spins[:self_ready_ns]
  end

  def test_threads_that_follow_each_other_have_their_own_states
    seen = report(<<~'RUBY')
      def naps(n) = sleep(n / 100.0)
      [20, 1, 10].each { |n| Thread.new { naps(n) }.join }
      3.times { Thread.new { sleep 0.001 }.join }
    RUBY
    suspended = other_threads(seen).map { |thread| thread[:suspended_ns] / 1_000_000 }
    assert_equal 6, suspended.size
    [100, 5, 50].zip(suspended) { |least, ms| assert_operator ms, :>=, least } # some of it passes before it sleeps
  end

  def test_what_blocks_in_c_is_without_the_gvl
    seen = report(<<~'RUBY')
      def reads(io) = io.read
      def waits(queue) = queue.pop
      def locks(mutex) = mutex.synchronize { 1 }
      reading, writing = IO.pipe
      queue, mutex, taken = Queue.new, Mutex.new, Queue.new
      others = [Thread.new { reads(reading) }, Thread.new { waits(queue) }, Thread.new { taken.pop; locks(mutex) }]
      mutex.lock
      taken << 1
      sleep 0.02 until others.all?(&:stop?)
      sleep 0.05
      writing.close; queue << 1; mutex.unlock
      others.each(&:join)
    RUBY
    %w[reads waits locks].each { |name| assert_operator method_named(seen, "Object##{name}")[:total_suspended_ns], :>=, 45_000_000, name }
  end

  def test_a_fiber_is_suspended_while_another_one_runs
    seen = report(<<~'RUBY')
      def works = 20_000.times { nil }
      def yields = (Fiber.yield; nil)
      def resumes(fiber) = fiber.resume
      def works_inside = 20_000.times { nil }
      yielding = Fiber.new { yields }
      yielding.resume
      works
      yielding.resume
      resumes(Fiber.new { works_inside })
    RUBY
    { "yields" => "works", "resumes" => "works_inside" }.each do |suspended, other|
      suspended, other = [suspended, other].map { |name| method_named(seen, "Object##{name}") }
      assert_operator suspended[:self_suspended_ns], :>=, other[:total_ns]
      assert_operator suspended[:self_suspended_ns], :<=, suspended[:self_ns]
      assert_equal 0, other[:total_suspended_ns]
    end
  end

  def test_a_forked_child_goes_on
    seen = report(<<~'RUBY')
      def naps = sleep(0.05)
      def forks = Process.wait(fork { Thread.new { naps }.join; naps })
      Thread.new { forks }.join
    RUBY
    assert_equal 2, seen[:threads].map { |thread| thread[:process] }.uniq.size
    assert_operator method_named(seen, "Object#naps")[:self_suspended_ns], :>=, 90_000_000
  end

  def test_states_begin_when_the_program_asks
    text = "def naps = sleep(0.05)\nnaps\n%s\nThread.new { naps }.join"
    off = report(format(text, ""), { "RINGVIZ_RUBY" => "off" })
    assert_empty off[:threads].select { |thread| has_states?(thread) }
    on = report(format(text, "RingViz.start"), { "RINGVIZ_RUBY" => "off" })
    naps = method_named(on, "Object#naps")
    assert_equal 1, naps[:calls]
    assert_operator naps[:self_suspended_ns], :>=, 45_000_000
  end
  def test_the_lock_is_found_while_others_want_it
    seen = report(<<~'RUBY', { "RINGVIZ_RUBY" => "off" })
      spinners = 4.times.map { Thread.new { nil until $is_over } }
      sleep 0.3
      RingViz.start
      def naps = sleep(0.05)
      Thread.new { naps }.join
      $is_over = true
    RUBY
    assert_operator method_named(seen, "Object#naps")[:self_suspended_ns], :>=, 45_000_000
  end
end
