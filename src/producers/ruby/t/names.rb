# What a method is called: by its owner and its definition, without addresses.
require_relative "lib/ringviz_test"

class NamesTest < RingvizTest
  def test_methods_in_c_have_their_library
    path = write_file("require 'strscan'\nclass Text < StringScanner; end\nText.new('a').eos?\n1 + 1\n")
    files = run_traced(["ruby", path], env: { "RINGVIZ_RUBY" => "all" }).spans.to_h { |span| [span.name, span.file] }
    assert_equal "<internal:strscan.so>", files["StringScanner#eos?"]
    assert_equal "<internal:c>", files["Integer#+"]
  end

  def durations(path)
    spans = run_traced(["ruby", path], env: { "RINGVIZ_RUBY" => "all" }).spans.sort_by(&:start_ns)
    spans.group_by(&:name).transform_values { |calls| calls.map(&:duration_ns) }
  end

  # Of the events in a ring's page, the first one's clock is always read.
  def test_calls_shorter_than_a_clock_read_return_at_once
    path = write_file("n = 1 << 40_000\n1000.times { 1 + 2 }\n1000.times { n + 1 }\n")
    small, large = durations(path)["Integer#+"].each_slice(1000).to_a
    assert_operator small.count(0), :>, 950
    assert_operator large.min, :>, 0
    path = write_file("a = [1, 2, [3]]; s = 'x'\n1000.times { a[0]; a.size; s.to_s; a == a; s.to_sym; 7.to_s }\n")
    seen = durations(path).transform_values { |all| all.count(0) > 950 }
    instant = seen.slice("Array#[]", "Array#size", "String#to_s", "Array#==", "String#to_sym", "Integer#to_s")
    assert_equal [true, true, true, false, false, false], instant.values
  end

  def test_readers_of_attributes_and_members_return_at_once
    path = write_file(<<~'RUBY')
      class Foo
        attr_accessor :bar
        alias old bar
        alias kept hash
        attr_reader :hash
        def bar = "x" * 9
      end
      Pair = Struct.new(:left, :right) { def right = 1 }
      foo, pair = Foo.new, Pair.new("a" * 99, "b")
      1000.times { foo.old; foo.bar; foo.bar = [1]; foo.kept; foo.hash; pair.left; pair.right }
    RUBY
    seen = durations(path).transform_values { |all| all.count(0) > 950 }
    assert_equal [true, false, false], seen.values_at("Foo#hash", "Foo#bar=", "Kernel#hash")
    assert_equal RUBY_VERSION >= "3.3", seen.fetch("Pair#left", false) # no event before
  end

  def names_of(text, env: {})
    path = write_file(text)
    names(run_traced(["ruby", path], env: env), path)
  end

  KINDS = <<~'RUBY'
    module Outer; class Foo; def bar = 1; def self.make = new; class << self; def kept = 1; end; end; end
    module Mixed; def mixed = 1; end
    module Before; def bar = super; end
    class Outer::Foo; include Mixed; prepend Before; end
    class Kid < Outer::Foo; def bar = super; alias old bar; end
    foo = Outer::Foo.make; foo.bar; foo.mixed; Outer::Foo.kept; Kid.make.bar; Kid.make.old
    class Odd; define_method(:of_block) { |x = 1| x }; define_method(:of_other, instance_method(:of_block))
      def method_missing(name, *) = name; def respond_to_missing?(*) = true; def []=(k, v); end; def -@ = 1; def ok?(x = 1) = x
      def self.name = "Liar"; def self.inspect = "Liar"; def inspect = "Liar"; end
    Odd.new.of_block; Odd.new.of_other; Odd.new.unknown; Odd.new.respond_to?(:x); Odd.new[1] = 2; -Odd.new; Odd.new.ok?
    one = Object.new; def one.single = 1; one.single; Object.new.tap { |o| def o.single = 1; o.single }
    one.singleton_class.define_method(:made) { 1 }; one.made
    shared = proc { 1 }; Odd.define_method(:first, &shared); Odd.define_method(:second, &shared); 3.times { Odd.new.first; Odd.new.second }
    Class.new { def anonymous = 1; def self.of_class = 1 }.tap { |c| c.new.anonymous; c.of_class }
    Module.new { def self.of_module = 1 }.of_module
    Class.new(Outer::Foo) { const_set(:Inner, Class.new { def inside = 1 }) }::Inner.new.inside
    module Refines; refine Integer do; def doubled = self * 2; end; end
    using Refines; 1.doubled
    class Größe; def länge_größe = 1; end; Größe.new.länge_größe
    def self.on_main = 1; on_main
    def top = [1].each { |x| [x].each { |y| y } }
    top; foo.instance_eval { bar }; foo.instance_exec { mixed }; foo.method(:bar).unbind.bind_call(foo); foo.send(:bar)
    foo.public_send(:mixed); [foo].map(&:bar)
  RUBY

  def test_names_and_counts_are_those_of_tracepoint
    assert_same_counts(KINDS)
  end

  def test_names_are_whole_where_garbage_is_collected_at_each_allocation
    [false, true].each do |is_moved|
      path = write_file(<<~RUBY)
        class Kept; 9.times { |i| class_eval "def m\#{'o' * 3 * i} = [1].each { |x| x }" }; end
        anonymous = Class.new { const_set(:Inner, Class.new { def inside = 1 }) }
        GC.auto_compact = #{is_moved}
        GC.stress = true
        9.times { |i| Kept.new.send("m\#{'o' * 3 * i}") }
        anonymous::Inner.new.inside
      RUBY
      seen = run_traced(["ruby", path], env: { "RINGVIZ_RUBY" => "all" }).spans.map(&:name).tally
      wanted = 9.times.flat_map { |i| ["Kept#m#{"o" * 3 * i}", "block in Kept#m#{"o" * 3 * i}"] }
      wanted << "#<Class>::Inner#inside"
      assert_equal wanted.to_h { |name| [name, 1] }, seen.slice(*wanted)
    end
  end

  def test_blocks_are_named_after_their_method
    path = write_file("class Foo\ndef bar\n[1].each { |x| x }\nend\ndef self.make = 1.then { 2 }\nend\nFoo.new.bar; Foo.make; 1.then { 3 }")
    seen = names(run_traced(["ruby", path], env: { "RINGVIZ_RUBY" => "blocks" }), path)
    assert_equal ["Foo#bar", "block in Foo#bar", "Foo.make", "block in Foo.make", "block in <main>"], seen
  end

  def test_a_method_of_a_block_is_one_call
    text = "class Foo; define_method(:bar) { |n| [n].each { |x| x }; bar(n - 1) if n > 0 }; end; Foo.new.bar(3)"
    path = write_file(text)
    seen = names(run_traced(["ruby", path], env: { "RINGVIZ_RUBY" => "blocks" }), path)
    assert_equal ["Foo#bar", "block in Foo#bar"] * 4, seen.first(8)
    assert_equal 8, seen.size
  end

  def test_accessors_and_structs_are_functions
    text = "Point = Struct.new(:x, :y); class Foo; attr_accessor :z; end; p = Point.new(1, 2); 5.times { p.x; p.y = 3 }; f = Foo.new; f.z = 1; f.z"
    assert_same_counts(text, level: "all", only: /Point#|Foo#/)
  end

  def test_a_method_that_is_defined_again_is_another
    path = write_file("2.times do |i|\n  eval \"def f = 1\", nil, __FILE__, 100 + i\n  f\nend\n")
    lines = run_traced(["ruby", path]).spans.select { |span| span.name == "Object#f" }.map(&:line)
    assert_equal [100, 101], lines
  end

  def test_collections_and_compaction_lose_no_name
    text = <<~'RUBY'
      def churn(n)
        eval "class A#{n % 7}; def m#{n % 5} = #{n}; end; A#{n % 7}.new.m#{n % 5}"
        Class.new { define_method(:"made#{n % 3}") { n } }.new.send(:"made#{n % 3}")
        Object.new.tap { |o| o.extend(Module.new { def extended = 1 }); o.extended }
      end
      300.times { |n| churn(n); GC.start(full_mark: n % 30 == 0) if n % 10 == 0; GC.compact if n % 100 == 0 }
    RUBY
    assert_same_counts(text)
  end

  def test_long_and_odd_names_are_whole
    long = "ü" * 300
    assert_equal ["Object##{long}", "Object#with blank", "Object#a\\x0ab"],
                 names_of("define_method = nil\ndef #{long} = 1\n#{long}\nObject.define_method('with blank') { 1 }\nsend('with blank')\nObject.define_method(\"a\\nb\") { 1 }\nsend(\"a\\nb\")")
  end

  FORMS = <<~'RUBY'
    class Foo
      define_method("#x") { 1 }
      define_method("a in .b") { [1].each { |x| x } }
      def self.make = new.tap { |foo| foo.send("#x"); foo.send("a in .b") }
    end
    Foo.make
    GC.start
  RUBY

  def test_what_a_name_is_outlives_the_program
    recorded, spans, report = %w[run.rvz spans.json report.json].map { |name| File.join(@folder, name) }
    run_plain([ENV["RINGVIZ"], "--headless", "--record=#{recorded}", "--", "ruby", write_file(FORMS)], "RINGVIZ_RUBY" => "all")
    { "spans" => spans, "report" => report }.each { |what, path| run_plain([ENV["RINGVIZ"], "--#{what}=json", "--output=#{path}", recorded]) }
    calls, sums = File.foreach(spans).map { |line| JSON.parse(line) }, JSON.parse(File.read(report))["subroutines"]
    [calls, sums].each do |rows|
      forms = rows.to_h { |row| [row["name"], row["form"]] }
      assert_equal({ "Foo.make" => nil, "Foo##x" => nil, "block in Foo.make" => %w[block], "Foo#a in .b" => nil,
                     "block in Foo#a in .b" => %w[block], "Array#each" => %w[c], "GC.major (force, method)" => %w[library] },
                   forms.slice("Foo.make", "Foo##x", "block in Foo.make", "Foo#a in .b", "block in Foo#a in .b", "Array#each", "GC.major (force, method)"))
    end
  end

  def test_code_is_named_by_the_file_it_is_given
    path = write_file("eval 'def given = 1; given', nil, 'other.rb', 7")
    span = run_traced(["ruby", path]).spans.find { |found| found.name == "Object#given" }
    assert_equal ["other.rb", 7], [span.file, span.line]
  end

  def test_classes_at_the_addresses_of_collected_ones
    path = write_file(<<~'RUBY')
      def make(name)
        Object.const_set(name, Struct.new(:member) { def twice = 2 * member })
        Object.const_get(name).new(1).twice
        Object.send(:remove_const, name)
      end
      50.times { |i| make("Made#{i}"); GC.start }
    RUBY
    made = run_traced(["ruby", path], env: { "RINGVIZ_RUBY" => "all" }).spans.map(&:name).grep(/Made.*(new|twice)/)
    assert_equal 50.times.flat_map { |i| ["Made#{i}.new", "Made#{i}#twice"] }.sort, made.sort
  end
end
