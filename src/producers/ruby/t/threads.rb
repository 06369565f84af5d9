# Fibers, threads, Ractors and processes.
require_relative "lib/ringviz_test"

class ThreadsTest < RingvizTest
  def test_fibers_have_a_stack_each
    assert_same_counts(<<~'RUBY')
      def leaf = 1
      def yields(n) = n.times { |i| leaf; Fiber.yield i }
      def resumes(fiber) = fiber.alive? && (fiber.resume; leaf)
      fibers = 5.times.map { |n| Fiber.new { yields(n); leaf } }
      6.times { fibers.each { |fiber| resumes(fiber) } }
      each = Enumerator.new { |y| leaf; y << leaf; y << leaf }
      begin; loop { each.next; leaf }; rescue StopIteration; end
      (1..Float::INFINITY).lazy.map { |x| leaf; x }.select(&:even?).first(3)
      broken = Fiber.new { begin; yields(1); rescue IOError; leaf; end }
      broken.resume; broken.raise(IOError)
      a = Fiber.new { leaf; b = Fiber.new { leaf; a.alive?; Fiber.yield; leaf }; b.resume; leaf; b.resume }
      a.resume
    RUBY
  end

  def test_threads_and_children_of_ringviz_are_not_the_programs
    options = ["--states=on", "--report=json", "--verbose"]
    result = run_plain([ENV["RINGVIZ"], *options, "--", "ruby", "-e", "def rest = sleep(1)\nrest"]) # silent for longer than half a second: a lane
    skip "perf_event_open is not allowed here" if result.err.include?("states are not known")
    assert_includes result.out, "Object#rest"
    refute_includes result.out, "ringviz set-up"
    own = run_plain(["ruby", "-e", "print Dir['/proc/self/task/*'].size - 1"]).out.to_i # Ruby 3.3 has a timer's
    assert_equal own, result.out[/"silent":\{"threads":(\d+)/, 1].to_i
  end

  def test_the_first_call_may_be_a_fibers
    { "ruby" => "", "off" => "RingViz.start; " }.each do |level, start|
      path = write_file("def leaf = 1\ndef yields = (leaf; Fiber.yield; leaf)\nfiber = Fiber.new { #{start}yields }\n" \
                        "fiber.resume\nleaf\nfiber.resume")
      result = run_traced(["ruby", path], env: { "RINGVIZ_RUBY" => level })
      assert_equal [["Object#leaf", 0], ["Object#leaf", 1], ["Object#leaf", 1], ["Object#yields", 0]],
                   result.spans.select { |span| span.file == path }.map { |span| [span.name, span.depth] }.sort
    end
  end

  def test_abandoned_fibers_end_when_they_are_collected
    result = assert_same_counts(<<~'RUBY')
      def leaf = 1
      def inner = (leaf; Fiber.yield; leaf)
      def outer = (inner; leaf)
      def round = Fiber.new { outer }.resume
      2000.times { round }
      leaf
    RUBY
    assert_equal 2000, result.spans.count { |span| span.name == "Object#outer" }
  end

  def test_ten_thousand_fibers
    result = assert_same_counts(<<~'RUBY')
      def leaf = 1
      def yields = (leaf; Fiber.yield; leaf)
      fibers = 10_000.times.map { Fiber.new { yields }.tap(&:resume) }
      fibers.each(&:resume)
      10_000.times { Enumerator.new { |y| y << leaf }.next }
    RUBY
    assert_empty result.spans.reject { |span| span.flags.empty? || span.file.start_with?("<internal:") }
  end

  def test_threads_have_a_lane_each
    path = write_file(<<~'RUBY')
      def leaf = 1
      def work(n) = n.times { leaf }
      20.times { |n| Thread.new { work(n + 1) }.join }
      3.times.map { |n| Thread.new { work(100) } }.each(&:join)
    RUBY
    report = run_plain([ENV["RINGVIZ"], "--report", "--", "ruby", path]).out
    events = report.scan(/^ +\d+ +\d+ +(\d+) +[23]  .*script\d+.rb:\d+$/).flatten.map(&:to_i)
    assert_equal 23, events.size, report
    assert_equal({ "Object#work" => 23, "Object#leaf" => 510 }, names(run_traced(["ruby", path]), path).tally)
  end

  def test_names_of_threads_are_whole
    path = write_file(<<~'RUBY', "a_name_of_a_file_that_is_long.rb")
      def leaf = 1
      Thread.new { leaf }.join
      Thread.new { leaf; Thread.current.name = "a name of a thread that is long" }.join
      Thread.new { Thread.current.name = "short"; leaf }.join
    RUBY
    report = run_plain([ENV["RINGVIZ"], "--report", "--", "ruby", path]).out
    expected = ["a name of a thread that is long", "a_name_of_a_file_that_is_long.rb", "a_name_of_a_file_that_is_long.rb:2",
                "short"]
    assert_equal expected, expected.select { |name| report.match?(/  #{Regexp.escape(name)}$/) }, report
  end

  # From Ruby 3.3 on they change native threads.
  def test_threads_on_fewer_native_threads
    result = assert_same_counts(<<~'RUBY', env: { "RUBY_MN_THREADS" => "1" })
      def leaf = 1
      def naps(n) = (sleep 0.0005; n.zero? ? leaf : naps(n - 1))
      def takes(queue) = (queue.pop; leaf)
      def yields = Enumerator.new { |y| 3.times { |i| leaf; y << i } }
      def works(queue) = 5.times { naps(4); takes(queue); each = yields; 3.times { each.next }; Thread.pass }
      queue = Queue.new
      threads = 12.times.map { Thread.new { works(queue) } }
      60.times { queue << 1 }
      threads.each(&:join)
    RUBY
    assert_equal 12, result.spans.select { |span| span.name == "Object#works" }.map(&:thread).uniq.size
  end

  def test_a_child_begins_with_the_calls_it_was_forked_in
    path = write_file(<<~'RUBY')
      def leaf = 1
      def splits = (pid = fork) ? (Process.wait(pid); leaf; leaf) : leaf
      def outer = (splits; leaf)
      outer
    RUBY
    assert_equal ["outer(splits(leaf leaf) leaf)", "outer(splits(leaf) leaf)"], trees(run_traced(["ruby", path]), path)
    path = write_file(<<~'RUBY')
      def leaf = 1
      def forks = Process.wait(fork { leaf })
      def in_fiber = Fiber.new { Fiber.new { forks }.resume; leaf }.resume
      Thread.new { in_fiber }.join
    RUBY
    result = run_traced(["ruby", path])
    assert_equal({ "Object#leaf" => 2, "Object#forks" => 2, "Object#in_fiber" => 2 }, names(result, path).tally)
  end

  def test_rubies_that_are_spawned
    result = run_traced(["ruby", write_file(<<~'RUBY')])
      def starts = spawn("ruby", "-e", "def leaf = 1\n5.times { leaf }")
      3.times.map { starts }.each { |pid| Process.wait(pid) }
      system("ruby", "-e", "def leaf = 1\nleaf")
    RUBY
    assert_equal [16, 3], %w[leaf starts].map { |name| result.spans.count { |span| span.name == "Object##{name}" } }
    assert_equal 5, result.spans.map(&:process).uniq.size
  end
end
