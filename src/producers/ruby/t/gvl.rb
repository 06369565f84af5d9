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

  def without_lock_ns(row) = row.values_at(:self_ready_ns, :self_suspended_ns).sum

  # A thread that counts as stopped is without the GVL until it is woken, on a busy machine, too. wakes returns it.
  NAPS = <<~'RUBY'
    def naps = sleep
    def wakes(thread, seconds)
      sleep 0.001 until thread.stop?
      sleep seconds
      thread.wakeup
    end
  RUBY

  def test_a_thread_that_wakes_waits_for_the_one_that_runs
    seen = report(NAPS + <<~'RUBY')
      def spins = (nil until yield)
      $n_naps = 0
      napper = Thread.new { 5.times { naps; $n_naps += 1 } }
      spinner = Thread.new do
        5.times do |n|
          spins { napper.stop? }
          until_s = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 0.05
          spins { Process.clock_gettime(Process::CLOCK_MONOTONIC) > until_s }
          napper.wakeup
          spins { $n_naps > n }
        end
      end
      [napper, spinner].each(&:join)
    RUBY
    naps, spins = method_named(seen, "Object#naps"), method_named(seen, "Object#spins")
    assert_operator without_lock_ns(naps), :>=, 5 * 45_000_000
    assert_operator naps[:self_suspended_ns], :>=, 45_000_000 # it may be to give another its turn before it sleeps
    assert_operator naps[:self_ready_ns], :>, 0
    assert_operator spins[:self_ready_ns], :>, 0
    assert_equal 2, other_threads(seen).size
    naps_in, spins_in = other_threads(seen).sort_by { |thread| -thread[:suspended_ns] }
    assert_operator naps_in[:suspended_ns], :>=, naps[:self_suspended_ns]
    assert_operator spins_in[:ready_ns], :>=, spins[:self_ready_ns]
  end

  def test_threads_that_follow_each_other_have_their_own_states
    seen = report(NAPS + <<~'RUBY')
      [0.2, 0.01, 0.1].each { |seconds| wakes(Thread.new { naps }, seconds).join }
      3.times { Thread.new { sleep 0.001 }.join }
    RUBY
    suspended = other_threads(seen).map { |thread| thread[:suspended_ns] / 1_000_000 }
    assert_equal 6, suspended.size
    [180, 9, 90].zip(suspended) { |least, ms| assert_operator ms, :>=, least }
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

  # As one would be in which Ruby 3.1's lock is looked for: from a first call that a thread makes on.
  def test_a_thread_is_not_asleep_before_it_has_begun
    path = write_file(<<~'RUBY')
      sleeper = Thread.new { $has_begun = true; sleep }
      Thread.new { nil until sleeper.stop?; print $has_begun.inspect }.join
    RUBY
    8.times { assert_equal "true", run_traced(["ruby", path]).out }
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
    seen = report(NAPS + <<~'RUBY')
      def naps_both(own) = (wakes(Thread.new { naps }, 0.05).join; waker = Thread.new { wakes(own, 0.05) }; naps; waker.join)
      def forks = Process.wait(fork { naps_both(Thread.current) })
      Thread.new { forks }.join
    RUBY
    assert_equal 2, seen[:threads].map { |thread| thread[:process] }.uniq.size
    assert_operator method_named(seen, "Object#naps")[:self_suspended_ns], :>=, 90_000_000
  end

  def test_states_begin_when_the_program_asks
    text = "#{NAPS}nap = -> { wakes(Thread.new { naps }, 0.05).join }\nnap.()\n%s\nnap.()"
    off = report(format(text, ""), { "RINGVIZ_RUBY" => "off" })
    assert_empty off[:threads].select { |thread| has_states?(thread) }
    on = report(format(text, "RingViz.start"), { "RINGVIZ_RUBY" => "off" })
    naps = method_named(on, "Object#naps")
    assert_equal 1, naps[:calls]
    assert_operator naps[:self_suspended_ns], :>=, 45_000_000
  end

  def test_the_lock_is_found_while_others_want_it
    seen = report(NAPS + <<~'RUBY', { "RINGVIZ_RUBY" => "off" })
      spinners = 4.times.map { Thread.new { nil until $is_over } }
      sleep 0.3
      RingViz.start
      wakes(Thread.new { naps }, 0.05).join
      $is_over = true
    RUBY
    naps = method_named(seen, "Object#naps")
    assert_operator without_lock_ns(naps), :>=, 45_000_000
    assert_operator naps[:self_suspended_ns], :>, 0
  end
end
