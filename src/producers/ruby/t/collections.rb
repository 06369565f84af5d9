# Garbage collections and allocations: as many as Ruby itself counts, inside the methods that they interrupt.
require_relative "lib/ringviz_test"

class CollectionsTest < RingvizTest
  CHURN = <<~'RUBY'
    class Thing; end
    def churn(n) = n.times { |i| ($kept ||= []) << Thing.new if i % 50 == 0; "#{i}".to_sym.to_s * 3 }
    before = GC.count
    churn(20_000)
    Fiber.new { churn(5_000); Fiber.yield; churn(1) }.resume
    Thread.new { churn(5_000) }.join
    3.times { GC.start }
    GC.compact
    $stdout.puts GC.count - before
  RUBY

  def collections(result) = result.spans.select { |span| span.name.match?(/\AGC\.(minor|major) \(/) }

  def test_each_collection_is_a_call_with_its_reasons
    result = run_traced(["ruby", write_file(CHURN)])
    assert_equal result.out.to_i, collections(result).size
    assert_equal 4, collections(result).count { |span| span.name == "GC.major (force, method)" }
    assert_operator collections(result).count { |span| span.name == "GC.minor (newobj)" }, :>, 0
    assert_empty result.spans.select { |span| !span.flags.empty? && span.name.start_with?("GC.") }
  end

  def test_a_collection_lies_in_the_method_that_it_interrupts
    result = run_traced(["ruby", write_file("def outer = inner\ndef inner = GC.start\nouter\n")])
    collection = collections(result).find { |span| span.name.include?("force") }
    outside = result.spans.select do |span|
      span.thread == collection.thread && span.depth < collection.depth && span.start_ns <= collection.start_ns &&
        span.start_ns + span.duration_ns >= collection.start_ns + collection.duration_ns
    end
    assert_equal %w[Object#outer Object#inner GC.start], outside.sort_by(&:depth).map(&:name)
  end

  def test_collections_leave_methods_and_fibers_as_they_are
    %w[ruby blocks].each { |level| assert_same_counts(CHURN, level: level) }
  end

  # Whether Ruby makes each object the slow way, 2.4 times as long: it looks at a flag of its object space, behind which stands
  # what hooks there are.
  IS_SLOW = <<~'RUBY'
    require "fiddle"
    MEMORY, NEWOBJ, GC_EVENTS = File.open("/proc/self/mem", "rb"), 0x100000, 0x7400000
    def read(address, n_bytes, format) = MEMORY.pread(n_bytes, address).unpack(format)
    def is_slow
      vm = read(Fiddle::Handle::DEFAULT["ruby_current_vm_ptr"], 8, "Q")[0]
      words = read(vm, 2048, "Q*").filter_map { |address| read(address + 16, 8, "LL") rescue nil }
      words.select { |_, hooks| hooks & ~NEWOBJ == GC_EVENTS }.map { |flags, _| flags[8] == 1 }
    end
    TracePoint.new(:line) {}.enable {} # sets the flag
    p is_slow
    GC.start
    p is_slow
  RUBY

  def test_a_hook_on_collections_leaves_allocations_as_fast_as_they_are
    skip "always so" unless RUBY_VERSION.start_with?("3.1")
    script = write_file(IS_SLOW)
    assert_equal "[true]\n[false]\n", run_traced(["ruby", script]).out
    assert_equal "[true]\n[true]\n", run_traced(["ruby", script], env: { "RINGVIZ_RUBY_ALLOC" => "1000000" }).out
  end

  def test_every_nth_object_is_a_call_of_its_class
    script = write_file("class Thing; end\nnamed = Class.new\nmake = 6000.times { Thing.new }\n3000.times { named.new }\n")
    [1, 10].each do |n|
      result = run_traced(["ruby", script], env: { "RINGVIZ_RUBY" => "all", "RINGVIZ_RUBY_ALLOC" => n.to_s })
      allocated = result.spans.map(&:name).tally
      assert_in_delta 6000 / n, allocated["Thing.allocate"], 10 / n
      assert_in_delta 3000 / n, allocated["#<Class>.allocate"], 10 / n
    end
    assert_empty run_traced(["ruby", script]).spans.select { |span| span.name.end_with?(".allocate") }
  end

  def test_objects_are_told_by_class_and_statement
    path = write_file("class Thing; end\ndef makes\n  Thing.new\n  [Thing.new]\nend\n500.times { makes }\nThing.new\n")
    rows = JSON.parse(report(["ruby", path], { "RINGVIZ_RUBY_ALLOC" => "1" }, "--report=json").out)["subroutines"]
    made = rows.select { |row| row["file"] == path && row["name"].end_with?(".allocate") }
    assert_equal({ ["Thing.allocate", 3] => 500, ["Thing.allocate", 4] => 500, ["Array.allocate", 4] => 500, ["Thing.allocate", 7] => 1 },
                 made.to_h { |row| [row.values_at("name", "line"), row["calls"]] }.slice(["Thing.allocate", 3], ["Thing.allocate", 4], ["Array.allocate", 4], ["Thing.allocate", 7]))
  end

  # Ruby itself makes some at a method's first call.
  def test_objects_are_told_of_each_method
    script = write_file(<<~'RUBY')
      class Thing; end
      def own = [Thing.new, Thing.new]
      def calls(n) = n.times { own }
      def other = Thread.new { 300.times { own; Thread.pass } }.tap { 500.times { own; Thread.pass } }.join
      def raises = (own; raise ArgumentError) rescue Thing.new
      calls(1000)
      other
      raises
    RUBY
    made = JSON.parse(report(["ruby", script], { "RINGVIZ_RUBY_OBJECTS" => "1" }, "--report=json").out)
    own, calls, other = %w[own calls other].map { |name| made["subroutines"].find { |row| row["name"] == "Object##{name}" } }
    assert_equal 1801, own["calls"]
    own.values_at("self_objects", "total_objects").each { |n| assert_in_delta 3 * 1801, n, 20 }
    assert_in_delta 0, calls["self_objects"], 20
    assert_in_delta 3000, calls["total_objects"], 20
    assert_in_delta 1500, other["total_objects"], 60
    assert_operator made["threads"].sum { |thread| thread["objects"] }, :>=, own["self_objects"] + 2
    refute JSON.parse(report(["ruby", script], {}, "--report=json").out)["subroutines"][0].key?("self_objects")
  end

  # As the window's statistics measure them.
  def test_objects_are_the_same_in_a_range
    script = write_file("def own = [1, \"\#{2}\"]\ndef calls = 50.times { own }\n3.times { calls }\nFiber.new { calls; Fiber.yield; own }.resume\n")
    recording = File.join(@folder, "objects.rvz")
    run_plain([ENV.fetch("RINGVIZ"), "--headless", "--record=#{recording}", "--", "ruby", script], "RINGVIZ_RUBY_OBJECTS" => "1")
    whole, ranged = [[], ["--from=0"]].map do |part|
      rows = JSON.parse(run_plain([ENV.fetch("RINGVIZ"), "--report=json", *part, recording]).out)["subroutines"]
      rows.to_h { |row| [row["name"], row.values_at("calls", "self_objects", "total_objects")] }
    end
    assert_equal whole.slice("Object#own", "Object#calls"), ranged.slice("Object#own", "Object#calls")
    assert_operator whole["Object#own"][1], :>=, 400
  end

  def report(command, env = {}, option = "--report") = run_plain([ENV.fetch("RINGVIZ"), option, "--", *command], env)

  def test_the_report_says_what_was_traced
    script = write_file("def leaf = 1\nleaf\n")
    { "ruby" => "methods", "blocks" => "methods and blocks", "all" => "methods, blocks, C calls" }.each do |level, words|
      assert_match(/ script\d+\.rb: Ruby #{RUBY_VERSION}: #{words}$/, report(["ruby", script], "RINGVIZ_RUBY" => level).out)
    end
  end

  def test_the_loss_of_compiled_code_is_said
    result = report(["ruby", "--yjit", write_file("def leaf = 1\nleaf\n")])
    assert_match(/ script\d+\.rb: Ruby #{RUBY_VERSION}: methods; YJIT is off \(1\.1-5x\)$/, result.out)
    assert_equal "ringviz: a traced Ruby program is interpreted: YJIT is off in it from now on, which alone takes 1.1 to 5 times the time; " \
                 "RINGVIZ_RUBY_TARGETS leaves it on\n", result.err.lines.first
  end

  def exported_names(command)
    path = File.join(@folder, "trace.json")
    run_plain([ENV.fetch("RINGVIZ"), "--export=chrome:#{path}", "--force", "--", *command])
    File.read(path).scan(/"name":"([^"]*)"/).flatten
  end

  def test_the_heap_is_drawn_as_values
    names = exported_names(["ruby", write_file(CHURN)])
    assert_includes names, "heap live slots"
    assert_includes names, "malloc increase bytes"
  end

  def test_lines_are_those_of_statements
    script = write_file("def leaf\n  1\n  2\nend\nleaf\n")
    assert_match(/last at line 3\b/, report(["ruby", script], "RINGVIZ_RUBY_LINES" => "1").out)
  end

  def test_lines_are_counted_in_their_files
    write_file("def twice(n)\n  2 *\n    n\nend\n", "other.rb")
    script = write_file("require_relative \"other\"\n3.times do |i|\n  twice(i)\nend\n", "main.rb")
    result = run_plain([ENV.fetch("RINGVIZ"), "--report=lines-csv", "--", "ruby", script], "RINGVIZ_RUBY_LINES" => "1")
    rows = result.out.lines.filter_map { |row| row.match(%r{((?:main|other)\.rb),(\d+),(\d+),}) { |m| "#{m[1]}:#{m[2]}x#{m[3]}" } }
    assert_equal %w[main.rb:1x1 main.rb:2x1 main.rb:3x3 other.rb:1x1], rows.grep_v(/^other.rb:[23]/).sort
    assert_equal 3, rows.grep(/^other.rb:[23]/).sum { |row| row[/\d+$/].to_i }
  end
end
