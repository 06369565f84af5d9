# Counts of calls compared with those that the program makes itself: without TracePoints events take the shortest way, and where a
# program enables some for a while, the way changes in its middle.
require_relative "lib/ringviz_test"

class OwnCountsTest < RingvizTest
  COUNTS = <<~'RUBY'
    $calls = Hash.new(0)
    at_exit { puts $calls.map { |name, n| "#{name} #{n}" }.sort }
  RUBY

  def assert_own_counts(text, levels: %w[ruby blocks all], env: {})
    path = write_file(COUNTS + text)
    levels.each do |level|
      result = run_traced(["ruby", path], env: { "RINGVIZ_RUBY" => level, **env })
      assert_equal "", result.err.lines.reject { |line| line.start_with?("ringviz:") }.join
      wanted = result.out.lines.map { |line| line.chomp.rpartition(" ").values_at(0, 2) }.to_h { |name, n| [name, n.to_i] }
      refute_empty wanted
      wanted.reject! { |name, _| name.start_with?("block ") } if level == "ruby"
      assert_equal wanted, names(result, path).tally.slice(*wanted.keys), level
      assert_equal [], result.spans.select { |span| span.duration_ns.nil? }, level
    end
  end

  def test_methods_blocks_and_methods_made_of_blocks
    assert_own_counts(<<~'RUBY')
      class Foo
        def plain = $calls["Foo#plain"] += 1
        def many(n) = n.times { $calls["block in Foo#many"] += 1 }
        def early(n)
          $calls["Foo#early"] += 1
          return 1 if n.odd?
          [1, 2].each { |i| $calls["block in Foo#early"] += 1; return i }
        ensure
          plain
        end
        define_method(:made) { $calls["Foo#made"] += 1 }
        def raises = ($calls["Foo#raises"] += 1; raise "no")
        def recurses(n) = ($calls["Foo#recurses"] += 1; n.zero? || recurses(n - 1))
      end
      foo = Foo.new
      def maker(foo) = proc { $calls[self == foo ? "Foo#other" : "block in Object#maker"] += 1 }
      made = maker(foo)
      Foo.define_method(:other, &made)
      300.times do |i|
        foo.plain; foo.many(2); foo.early(i); foo.made; foo.other; made.call; foo.recurses(3)
        begin
          foo.raises
        rescue StandardError
          foo.plain
        end
        catch(:out) { foo.early(i); throw :out }
        GC.start if i % 60 == 0
      end
    RUBY
  end

  def test_code_that_takes_the_place_of_collected_code
    assert_own_counts(<<~'RUBY')
      400.times do |i|
        eval "def passing(n) = (#{"n; " * (i % 7)} $calls['Object#passing'] += 1; n.zero? ? 0 : passing(n - 1))", nil, __FILE__
        eval "def in_its_place(n) = (#{"n; " * (i % 5)} [n].each { $calls['block in Object#in_its_place'] += 1 })", nil, __FILE__
        passing(2)
        in_its_place(1)
        undef passing, in_its_place
        GC.start if i % 10 == 0
        GC.compact if i % 100 == 0 && GC.respond_to?(:compact)
      end
    RUBY
  end

  # Most collections begin inside the hook on a new object then, and no other hook gets their events.
  def test_code_that_takes_the_place_of_code_collected_inside_a_hook
    sizes = { "RUBY_GC_HEAP_INIT_SLOTS" => "400000", "RUBY_GC_MALLOC_LIMIT" => "30000", "RUBY_GC_MALLOC_LIMIT_MAX" => "30000",
              "RUBY_GC_OLDMALLOC_LIMIT" => "40000", "RUBY_GC_OLDMALLOC_LIMIT_MAX" => "40000" }
    assert_own_counts(<<~'RUBY', levels: %w[ruby], env: sizes)
      require "objspace"
      ObjectSpace.trace_object_allocations_start
      600.times do |i|
        eval "def one(n) = (#{"n; " * (i % 5)} $calls['Object#one'] += 1; n.zero? ? 0 : one(n - 1))", nil, __FILE__
        eval "def two(n) = (#{"n; " * (i % 7)} [n].each { |x| x }; $calls['Object#two'] += 1)", nil, __FILE__
        eval "def three(n) = (#{"n; " * (i % 3)} proc { |x| #{"x; " * (i % 4)} }.call(1); $calls['Object#three'] += 1)", nil, __FILE__
        one(2); two(1); three(1)
        undef one, two, three
        1500.times { Object.new }
      end
    RUBY
  end

  def test_the_same_code_in_a_ractor_that_was_there_before
    assert_own_counts(<<~'RUBY', levels: %w[off])
      Warning[:experimental] = false
      def leaf = 1
      def calls = [leaf, leaf]
      def others = (leaf; calls; :done)
      ractor = Ractor.new { Ractor.yield :begun; 200_000.times { others }; :ended }
      raise unless ractor.take == :begun
      RingViz.start
      5000.times do
        $calls["Object#leaf"] += 3; $calls["Object#calls"] += 1; $calls["Object#others"] += 1
        others
      end
      RingViz.stop
      raise unless ractor.take == :ended
    RUBY
  end

  def test_fibers_and_threads
    assert_own_counts(<<~'RUBY')
      LOCK = Mutex.new
      def step(n) = LOCK.synchronize { $calls["Object#step"] += n }
      def walk(n)
        step(1)
        fiber = Fiber.new { loop { step(1); Fiber.yield } }
        n.times { fiber.resume }
      end
      4.times.map { Thread.new { 50.times { walk(3) } } }.each(&:join)
    RUBY
  end

  def test_tracepoints_that_come_and_go
    assert_own_counts(<<~'RUBY')
      def seen
        $calls["Object#seen"] += 1
      end
      def other = $calls["Object#other"] += 1
      def yields = [1].each { $calls["block in Object#yields"] += 1 }
      calls = returns = blocks = lines = targeted = 0
      by_call = TracePoint.new(:call) { |point| calls += 1 if point.method_id == :seen }
      by_return = TracePoint.new(:return) { |point| returns += 1 if point.method_id == :seen }
      by_block = TracePoint.new(:b_call) { |point| blocks += 1 if point.method_id == :yields }
      by_line = TracePoint.new(:line) { |point| lines += 1 if point.method_id == :seen }
      of_other = TracePoint.new(:call, :return) { targeted += 1 }
      200.times do
        seen; other
        by_call.enable
        seen; other
        by_call.disable
        by_return.enable
        seen; other
        by_return.disable
        yields
        by_block.enable
        yields
        by_block.disable
        by_line.enable
        seen; other
        by_line.disable
        of_other.enable(target: method(:other)) { seen; other }
        seen; other
      end
      seen_by = [calls, returns, blocks, lines, targeted]
      raise seen_by.inspect unless seen_by == [200, 200, 200, 200, 400]
    RUBY
  end

  # The hook on calls is removed and another's may take its place in memory, or it is put in front of others.
  def test_tracepoints_while_tracing_stops_and_starts
    assert_own_counts(<<~'RUBY')
      def seen = $calls["Object#seen"] += 1
      def yields = [1].each { $calls["block in Object#yields"] += 1 }
      def quiet = 1
      calls = blocks = 0
      200.times do
        by_call = TracePoint.new(:call, :return) { |point| calls += 1 if point.method_id == :quiet }
        by_block = TracePoint.new(:b_call) { |point| blocks += 1 if point.method_id == :yields }
        seen; yields
        RingViz.stop
        by_call.enable
        3.times { quiet }
        by_call.disable
        by_block.enable
        RingViz.start
        2.times { seen; yields }
        by_block.disable
      end
      raise [calls, blocks].inspect unless [calls, blocks] == [1200, 400]
    RUBY
  end

  def test_a_tracepoint_in_a_ractor
    assert_own_counts(<<~'RUBY')
      Warning[:experimental] = false
      GC.disable
      def seen = 1
      200.times { seen; $calls["Object#seen"] += 1 }
      calls = Ractor.new do
        n = 0
        point = TracePoint.new(:call, :return) { |event| n += 1 if event.method_id == :seen }
        point.enable
        200.times { seen }
        point.disable
        n
      end.take
      $calls["Object#seen"] += 200
      raise calls.inspect unless calls == 400
    RUBY
  end

  def test_code_that_methods_share
    assert_own_counts(<<~'RUBY')
      module Shared
        def self_name = $calls["#{self.class}#self_name"] += 1
      end
      classes = 3.times.map { |i| Object.const_set("Own#{i}", Class.new { define_method(:self_name, Shared.instance_method(:self_name)) }) }
      200.times { |i| classes.each { |one| one.new.self_name; one.new.self_name } }
    RUBY
  end

  # Ruby 3.1 then makes no events, but for hooks of functions, until other hooks come.
  def test_a_tracepoint_of_a_method_made_of_a_block
    assert_own_counts(<<~'RUBY')
      define_singleton_method(:made) { 1 }
      def quiet = 1
      makes_events = RUBY_VERSION >= "3.2"
      of_made = TracePoint.new(:call) {}
      others = TracePoint.new(:raise) {}
      i = 0
      while (i += 1) <= 20
        of_made.enable(target: method(:made))
        of_made.disable
        quiet; quiet
        $calls["Object#quiet"] += 2 if makes_events
        others.enable
        others.disable
        quiet
        $calls["Object#quiet"] += 1
      end
    RUBY
  end
end
