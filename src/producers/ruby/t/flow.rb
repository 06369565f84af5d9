# Every way out of a method and a block: as many calls as TracePoint counts, and nothing left open.
require_relative "lib/ringviz_test"

class FlowTest < RingvizTest
  WAYS_OUT = <<~'RUBY'
    require "timeout"
    def leaf(n = 0) = n
    def early(n) = (return leaf if n; 1)
    def raises(n) = n.zero? ? raise("x") : raises(n - 1)
    def rescues = (raises(5) rescue leaf)
    def ensures
      yield
    ensure
      leaf
    end
    def retries(n = 0)
      n += 1
      raises(2) if n < 4
      leaf
    rescue RuntimeError
      retry
    end
    def throws(n) = n.zero? ? throw(:done, leaf) : throws(n - 1)
    def catches = catch(:done) { throws(4); leaf }
    def each_three = (yield leaf(1); yield leaf(2); yield leaf(3))
    def breaks = each_three { |x| break x if x == 2 }
    def nexts = each_three { |x| next if x == 2; leaf }
    def returns_from_block = (each_three { |x| return x }; leaf)
    def in_lambda = ->(x) { return leaf(x) }.call(1)
    def in_proc = (proc { |x| return leaf(x) }.call(1); leaf)
    def redoes = (n = 0; [1].each { |_| n += 1; leaf; redo if n < 3 })
    def killed = (t = Thread.new { ensures { leaf; sleep } }; Thread.pass until t.status == "sleep"; t.kill; t.join)
    def raised_in = (t = Thread.new { begin; ensures { sleep }; rescue IOError; leaf; end }; Thread.pass until t.status == "sleep"; t.raise(IOError); t.join)
    def times_out = (Timeout.timeout(0.01) { ensures { sleep } } rescue leaf)
    def trapped = (trap("USR1") { leaf }; Process.kill("USR1", $$); sleep 0.01; leaf)
    def many(n) = n.times { |i| leaf(i) }
    early(true); early(false)
    rescues; retries; ensures { leaf }; catches; breaks; nexts; returns_from_block; in_lambda; in_proc; redoes
    killed; raised_in; times_out; trapped; many(1000)
    ObjectSpace.define_finalizer(Object.new, proc { leaf })
    leaf
  RUBY

  def assert_nothing_left(result)
    assert_empty result.spans.reject { |span| span.flags.empty? }
  end

  def test_every_way_out_of_methods
    assert_nothing_left assert_same_counts(WAYS_OUT)
  end

  def test_every_way_out_of_blocks
    assert_nothing_left assert_same_counts(WAYS_OUT, level: "blocks")
  end

  def test_every_way_out_with_functions_in_c
    assert_nothing_left assert_same_counts(WAYS_OUT, level: "all", only: /^Object#|^block|^Integer#|Thread/)
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
end
