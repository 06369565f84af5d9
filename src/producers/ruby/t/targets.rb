# Chosen methods only: as many calls as TracePoint counts, nothing of the others.
require_relative "lib/ringviz_test"
require_relative "lib/ways_out"

class TargetsTest < RingvizTest
  def assert_only(names, only, text, level: "ruby", **more)
    result = assert_same_counts(text, level: level, only: only, env: { "RINGVIZ_RUBY_TARGETS" => names }, **more)
    assert_empty result.spans.map(&:name).reject { |name| name.match?(only) || name.start_with?("GC.") }
    assert_empty result.spans.reject { |span| span.flags.empty? }
    result
  end

  CLASSES = <<~'RUBY'
    class Foo
      def bar(n) = n.zero? ? 0 : bar(n - 1)
      def other = [1, 2].each { |x| bar(x) }
      def [](n) = n
      def ready? = true
      def self.make = new
      class << self
        def build = new
      end
    end
    module Outer
      class Baz < Foo
        def bar(n) = super
        def own = [1].each { |x| x }
      end
      def self.helper = 1
    end
    def bar(n) = n
    class Foo; def other = bar(0); end if ARGV.empty?
    10.times { foo = Foo.make; foo.other; foo[1]; foo.ready?; Foo.build; Outer::Baz.new.bar(3); Outer::Baz.make.own; Outer.helper; bar(1) }
    eval("def bar(n) = n + 1; 3.times { bar(1) }")
    Foo.alias_method(:called, :bar)
    Foo.new.called(2)
  RUBY

  def test_names_choose_methods
    assert_only("Foo#bar", /\AFoo#bar\z/, CLASSES)
    assert_only("Foo.*", /\AFoo\./, CLASSES)
    assert_only("Foo#*,Outer.helper", /\A(Foo#|Outer\.helper\z)/, CLASSES)
    assert_only("Outer::*#bar, bar?", /\AOuter::Baz#bar\z/, CLASSES)
    assert_only("bar", /[#.]bar\z/, CLASSES)
    assert_only("Foo#[],*#ready?", /\AFoo#(\[\]|ready\?)\z/, CLASSES)
  end

  def test_blocks_of_a_chosen_method_are_its
    assert_only("Outer::Baz#own", /Outer::Baz#own\z/, CLASSES, level: "blocks")
  end

  IN_TURNS = WAYS_OUT + <<~'RUBY'
    def yields(n) = n.times { |i| leaf; Fiber.yield i }
    def forks = Process.wait(fork { ensures { leaf } })
    fibers = 3.times.map { Fiber.new { yields(3) } }
    4.times { fibers.each { |fiber| fiber.resume } }
    4.times.map { Thread.new { each_three { leaf } } }.each(&:join)
    forks
  RUBY

  def test_every_way_out
    chosen = %w[raises ensures throws each_three yields retries times_out]
    only = /\AObject#(#{chosen.join("|")})\z/
    result = assert_same_counts(IN_TURNS, only: only, env: { "RINGVIZ_RUBY_TARGETS" => chosen.map { |name| "Object##{name}" }.join(",") })
    assert_empty result.spans.map(&:name).reject { |name| name.match?(only) || name.start_with?("GC.") }
    assert_only("Object#leaf,Object#ensures", /\AObject#(leaf|ensures)\z/, IN_TURNS.sub(/^forks$/, ""), options: YJIT)
  end

  def test_fibers_that_end_between_collections
    assert_same_counts(<<~'RUBY', only: /\AObject#(yields|leaf)\z/, options: YJIT, env: { "RINGVIZ_RUBY_TARGETS" => "yields,leaf" })
      def leaf = 1
      def other = leaf
      def yields(n) = (other; Fiber.yield n; leaf)
      def round(n) = Fiber.new { yields(n) }.tap(&:resume)
      kept = []
      2000.times { |n| fiber = round(n); kept << fiber if n % 3 == 0; GC.start if n % 100 == 0 }
      kept.each { |fiber| fiber.resume; leaf }
      Thread.new { a = round(1); leaf; b = round(2); a.resume; b.resume; leaf }.join
    RUBY
  end

  def test_each_fiber_has_its_own_stack
    result = run_traced(["ruby", path = write_file(<<~'RUBY')], env: { "RINGVIZ_RUBY_TARGETS" => "outer,inner,leaf" })
      def leaf = 1
      def inner = (Fiber.yield; leaf)
      def outer = inner
      a = Fiber.new { outer }
      b = Fiber.new { outer }
      a.resume; b.resume; a.resume; b.resume
      leaf
    RUBY
    assert_equal [["Object#inner", 1], ["Object#inner", 1], ["Object#leaf", 0], ["Object#leaf", 2], ["Object#leaf", 2],
                  ["Object#outer", 0], ["Object#outer", 0]],
                 result.spans.select { |span| span.file == path }.map { |span| [span.name, span.depth] }.sort
  end

  def test_required_files_too
    library = write_file("class Late; def run = step; def step = 1; end", "late.rb")
    path = write_file("def step = 2\nload #{library.inspect}\n3.times { Late.new.run; step }")
    result = run_traced(["ruby", path], env: { "RINGVIZ_RUBY_TARGETS" => "Late#step" })
    assert_equal ["Late#step"] * 3, result.spans.map(&:name)
  end

  def test_from_start_on
    path = write_file("def step = 2\nstep\nRingViz.start\n2.times { step }\nRingViz.stop\nstep\nRingViz.trace { step }")
    result = run_traced(["ruby", path], env: { "RINGVIZ_RUBY_TARGETS" => "step", "RINGVIZ_RUBY" => "off" })
    assert_equal ["Object#step"] * 3, result.spans.map(&:name)
  end

  def test_names_that_cannot_be_are_told
    result = run_traced(["ruby", write_file("def step = 2\nstep")], env: { "RINGVIZ_RUBY_TARGETS" => "Foo#,step" })
    assert_includes result.err, %q(ringviz: RINGVIZ_RUBY_TARGETS: no method is named in "Foo#")
    assert_equal ["Object#step"], result.spans.map(&:name)
    result = run_traced(["ruby", write_file("def step = 2\nstep; fork { exit }; Process.wait")], env: { "RINGVIZ_RUBY_TARGETS" => "Foo#bar,step" })
    assert_equal 1, result.err.scan(/process \d+ called no method "(.*)"/).size
    assert_match(/called no method "Foo#bar"/, result.err)
  end
end
