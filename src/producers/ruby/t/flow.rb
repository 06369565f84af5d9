# Every way out of a method and a block: as many calls as TracePoint counts, and nothing left open.
require_relative "lib/ringviz_test"
require_relative "lib/ways_out"

class FlowTest < RingvizTest
  # Ruby runs finalizers wherever it collects, in TracePoint's own block too, whose calls TracePoint does not tell: it collects here alone.
  FINALIZERS = <<~'RUBY'
    GC.disable
    9.times { ObjectSpace.define_finalizer(Object.new, proc { $finalized = leaf }) }
    GC.start
    $finalized or abort "no finalizer ran"
    leaf
  RUBY
  WITH_FINALIZERS = WAYS_OUT + FINALIZERS

  # But Ruby's own threads, such as Timeout's, which wait in methods of its own.
  def assert_nothing_left(result)
    assert_empty result.spans.reject { |span| span.flags.empty? || span.file.start_with?("<internal:") || span.file.include?("timeout") }
  end

  def test_every_way_out_of_methods
    assert_nothing_left assert_same_counts(WITH_FINALIZERS)
    assert_nothing_left assert_same_counts(WITH_FINALIZERS, options: YJIT)
  end

  def test_every_way_out_of_blocks
    assert_nothing_left assert_same_counts(WITH_FINALIZERS, level: "blocks")
  end

  def test_every_way_out_with_functions_in_c
    assert_nothing_left assert_same_counts(WITH_FINALIZERS, level: "all", only: /^Object#|^block|^Integer#|Thread/)
  end

  # Where TracePoint counts, Ruby has hooks besides ringviz's; without, events may come another way.
  def test_every_way_out_without_another_hook
    { "ruby" => //, "blocks" => //, "all" => /^Object#|^block|^Integer#times/ }.each do |level, only|
      path = write_file(WITH_FINALIZERS)
      alone = run_traced(["ruby", path], env: { "RINGVIZ_RUBY" => level })
      assert_nothing_left alone
      expected = assert_same_counts(WITH_FINALIZERS, level: level, only: only)
      assert_equal(*[[expected, expected.spans.find { |span| span.name == "Object#early" }.file], [alone, path]].map { |result, file| names(result, file).grep(only).tally })
    end
  end

  def test_exit_and_abort_run_what_is_left
    ending = 'at_exit { late }; END { late }; BEGIN { early_on = 1 }; def late = 1; def inner = (yield; late); def outer = inner { %s }; outer'
    assert_same_counts(format(ending, "exit 3"), status: 3)
    assert_same_counts(format(ending, "abort"), status: 1)
    assert_same_counts(format(ending, "raise SystemExit"), status: 0)
    assert_same_counts(format(ending, "throw :nobody"), status: 1)
  end

  def test_a_stack_that_overflows_is_unwound
    path = write_file("$n = 0\ndef leaf = 1\ndef deep = ($n += 1; deep)\ndef overflows = deep\n2.times { begin; overflows; rescue SystemStackError; leaf; end }\nleaf; print $n")
    result = run_traced(["ruby", path])
    assert_nothing_left result
    assert_equal({ "Object#overflows" => 2, "Object#deep" => result.out.to_i, "Object#leaf" => 3 }, names(result, path).tally)
    assert_equal 0, result.spans.select { |span| span.name == "Object#leaf" }.max_by(&:start_ns).depth
  end

  def test_calls_that_a_hard_exit_leaves_open_end_there
    result = assert_same_counts("def inner = ($write_counts.call; exit!(4))\ndef outer = inner\nouter", status: 4)
    assert_equal 2, result.spans.count { |span| span.name =~ /inner|outer/ }
  end

  # At the lowest and the highest level; more: as for assert_same_counts.
  def same(text, only: /^Object#|^block/, **more) = %w[ruby all].each { |level| assert_same_counts(text, level: level, only: only, **more) }

  def test_continuations
    same(<<~'RUBY')
      $VERBOSE = nil
      require "continuation"
      def leaf = 1
      def inner = callcc { |k| leaf; k.call(5); leaf }
      def outer = (inner; leaf)
      def escapes = callcc { |k| deep(k, 5) }
      def deep(k, n) = n.zero? ? k.call(1) : deep(k, n - 1)
      outer; escapes; leaf
    RUBY
  end

  def test_a_continuation_that_is_entered_again
    same(<<~'RUBY')
      $VERBOSE = nil
      require "continuation"
      def leaf = 1
      def keeps = callcc { |k| $k = k; leaf }
      def outer = (keeps; leaf)
      n = 0
      outer
      n += 1
      $k.call if n < 4
      leaf
    RUBY
  end

  def test_tail_calls
    same(<<~'RUBY')
      code = <<~'TEXT'
        def leaf = 1
        def down(n) = n.zero? ? leaf : down(n - 1)
        def outer = (down(50); leaf)
        3.times { outer }
      TEXT
      RubyVM::InstructionSequence.compile(code, __FILE__, __FILE__, 1, tailcall_optimization: true, trace_instruction: false).eval
    RUBY
  end

  def test_children
    same(<<~'RUBY', only: /leaf$/)
      def leaf = 1
      def forks = Process.wait(fork { leaf; yield })
      forks { leaf; $write_counts.call; exit!(3) }
      forks { at_exit { leaf }; exit }
      forks { $write_counts.call; exec("true") }
      Process.wait(spawn("true")); system("true"); `true`
      leaf
    RUBY
  end

  def test_ends_of_threads
    same(<<~'RUBY')
      def leaf = 1
      def ensures
        yield
      ensure
        leaf
      end
      def stops = ensures { ensures { Thread.exit } }
      def raises = ensures { raise IOError }
      t = Thread.new { stops }; t.join
      t = Thread.new { Thread.current.report_on_exception = false; raises }; begin; t.join; rescue IOError; leaf; end
      t = Thread.new { ensures { sleep } }; Thread.pass until t.stop?; t.kill; t.join
      t = Thread.new { Thread.handle_interrupt(RuntimeError => :never) { ensures { Thread.pass until $go; leaf } } rescue leaf }
      Thread.pass until t.alive?; t.raise("x"); $go = true; t.join rescue leaf
      q = Queue.new
      t = Thread.new { ensures { q.pop } }; Thread.pass until t.stop?; q.close; t.join
    RUBY
  end

  def test_ways_out_of_fibers
    same(<<~'RUBY')
      def leaf = 1
      def ensures
        yield
      ensure
        leaf
      end
      f = Fiber.new { ensures { Fiber.yield } }
      f.resume; (f.raise(IOError) rescue leaf)
      def gen = Enumerator.new { |y| ensures { 5.times { |i| y << leaf } } }
      e = gen; 3.times { e.next }; e.rewind; e.next
      g = gen.lazy.map { |x| leaf }; g.first(2)
      def throws = throw(:x)
      f = Fiber.new { catch(:x) { ensures { throws } } }; f.resume
      f = Fiber.new { Fiber.new { ensures { Fiber.yield 1 } }.resume; leaf }; f.resume
      2000.times { Fiber.new { ensures { Fiber.yield } }.resume }
    RUBY
  end

  def test_signals_finalizers_and_ends
    same(<<~'RUBY' + FINALIZERS)
      BEGIN { def early = 1; early }
      END { leaf }
      def leaf = 1
      def on_signal = leaf
      trap("USR1") { on_signal }
      trap("USR2") { raise IOError }
      def waits = (Process.kill("USR1", $$); 10.times { leaf })
      def interrupted = (Process.kill("USR2", $$); sleep 1) rescue leaf
      waits; interrupted
      at_exit { leaf; at_exit { leaf } }
    RUBY
  end

  def test_overflows_with_blocks
    same(<<~'RUBY', only: /^Object#(overflows|leaf|catches)/)
      def leaf = 1
      def deep = deep2
      def deep2 = [1].each { deep }
      def overflows = (deep rescue leaf)
      def catches
        overflows
      rescue SystemStackError
        leaf
      ensure
        leaf
      end
      3.times { catches }
      leaf
    RUBY
  end

  def test_ways_out_of_blocks
    same(<<~'RUBY')
      def leaf = 1
      def yields = yield
      def nested = yields { yields { return leaf } }
      def lambdas = [->(x) { next leaf if x; leaf }, lambda { |x| return leaf }].map { |l| l.(true) }
      def sym = [1, 2].each(&method(:takes))
      def takes(x) = leaf
      def curry = method(:takes).to_proc.curry.(1)
      def loops = loop { break leaf if leaf }
      def ex = ([3].each { |x| raise StopIteration } rescue leaf)
      def inject = (1..5).inject { |a, b| break a if b > 3; leaf }
      def redo_ = (i = 0; yields { i += 1; redo if i < 3; leaf })
      nested; lambdas; sym; curry; loops; ex; inject; redo_
      o = Object.new
      def o.method_missing(n, *a) = n == :x ? 1 : super
      def o.respond_to_missing?(*) = true
      o.x; (o.y rescue leaf); o.respond_to?(:z)
      send(:leaf); public_send(:then) { leaf }; instance_exec { leaf }
    RUBY
  end
end
