# What a program says itself: spans, marks, values; when to trace; and nothing without ringviz.
require_relative "lib/ringviz_test"

class ApiTest < RingvizTest
  LIBRARY = File.join(File.dirname(ENV.fetch("RINGVIZ")), "../lib/ruby")

  SCRIPT = <<~'RUBY'
    require "ringviz"
    def leaf = 1
    p RingViz.span("outer") { leaf; RingViz.span("inner Ü") { leaf } + 1 }
    catch(:out) { RingViz.span("thrown") { leaf; throw :out } }
    begin
      RingViz.span("raised") { raise "x" }
    rescue => error
      p error.message
    end
    [1, 2].each { |n| RingViz.span("left") { break if n == 1; leaf } }
    fiber = Fiber.new { RingViz.span("in a fiber") { Fiber.yield leaf } }
    fiber.resume
    fiber.resume
    RingViz.mark("here")
    RingViz.value("length", 12.5)
    RingViz.value("count", 3)
    begin
      RingViz.value("bad", "text")
    rescue TypeError
      p TypeError
    end
  RUBY

  def test_spans_lie_among_the_calls
    path = write_file(SCRIPT)
    result = run_traced(["ruby", path])
    assert_equal "2\n\"x\"\nTypeError\n", result.out, result.err
    seen = result.spans.select { |span| span.name.match?(/leaf|outer|inner|thrown|raised|left|in a fiber/) }
    assert_empty seen.reject { |span| span.flags.empty? }
    assert_equal [["outer", 0], ["Object#leaf", 1], ["inner Ü", 1], ["Object#leaf", 2], ["thrown", 0], ["Object#leaf", 1], ["raised", 0],
                  ["left", 0], ["left", 0], ["Object#leaf", 1], ["in a fiber", 0], ["Object#leaf", 1]],
                 seen.sort_by { |span| [span.start_ns, span.depth] }.map { |span| [span.name, span.depth] }
  end

  def test_marks_and_values_are_in_the_trace
    path = File.join(@folder, "trace.json")
    run_plain([ENV.fetch("RINGVIZ"), "--export=chrome:#{path}", "--", "ruby", write_file(SCRIPT)])
    text = File.read(path, encoding: "UTF-8")
    assert_match(/"name":"here"/, text)
    assert_match(/"name":"length"[^}]*12\.5/, text)
    assert_match(/"name":"count"[^}]*3\b/, text)
  end

  def test_flows_and_tasks_are_in_the_methods_that_tell_them
    path = write_file(<<~'RUBY')
      def accept_one(id) = RingViz.flow(id, "request", :begin)
      def answer(id) = RingViz.flow(id, "request", :end)
      5.times { |id| accept_one(id); RingViz.task_begin(id + 1, "job"); RingViz.task_switch(0) }
      Thread.new { 5.times { |id| answer(id); RingViz.task_switch(id + 1); RingViz.task_end(id + 1) } }.join
      begin
        RingViz.flow(1, "x", :middle)
      rescue ArgumentError => error
        puts error.message
      end
    RUBY
    result = run_plain([ENV.fetch("RINGVIZ"), "--flows=csv", "--", "ruby", path])
    rows = result.out.lines.map { |line| line.chomp.split(",") }.to_h { |row| [row[0..1].join(" "), row] }
    assert_match(/^middle is not :begin, :step or :end$/, result.out)
    assert_equal ["5", "5", "2", "Object#accept_one", "Object#answer"], rows["flow request"].values_at(2, 3, 12, 15, 18)
    assert_equal "5", rows["task job"][3]
    path = write_file("RingViz.flow(1, 'x', :begin)\nRingViz.task_begin(1, 'x')\nRingViz.task_switch(0)\np RingViz.task_end(1)\n", "plain.rb")
    assert_equal "nil\n", run_plain(["ruby", "-I#{LIBRARY}", "-rringviz", path]).out
  end

  def test_without_ringviz_it_does_nothing
    path = write_file("p RingViz.traced?, RingViz.trace { 7 }, RingViz.start, RingViz.stop\n", "untraced.rb")
    assert_equal "2\n\"x\"\n", run_plain(["ruby", "-I#{LIBRARY}", write_file(SCRIPT)]).out
    assert_equal "false\n7\nnil\nnil\n", run_plain(["ruby", "-I#{LIBRARY}", "-rringviz", path]).out
  end

  def test_a_program_says_when_to_trace
    path = write_file(<<~'RUBY')
      def leaf = 1
      def inside = RingViz.trace { leaf }
      leaf
      inside
      leaf
      RingViz.span("around") { RingViz.start; leaf; RingViz.stop; leaf }
      leaf
      RingViz.start
      def late = (leaf; RingViz.stop)
      late
      leaf
      p RingViz.traced?
    RUBY
    result = run_traced(["ruby", path], env: { "RINGVIZ_RUBY" => "off" })
    assert_equal "true\n", result.out, result.err
    seen = result.spans.reject { |span| span.file.start_with?("<internal") }
    assert_equal %w[Object#leaf around Object#leaf Object#late Object#leaf],
                 seen.sort_by { |span| [span.start_ns, span.depth] }.map(&:name)
    assert_empty seen.reject { |span| span.flags.empty? }
  end

  def test_requests_and_tests_are_spans
    path = write_file(<<~'RUBY')
      require "minitest"
      RingViz::Minitest.start
      class SomeTest < Minitest::Test
        def test_one = assert(true)
      end
      Minitest.run(["--seed=1"])
      app = RingViz::Rack.new(->(env) { [200, {}, [env["PATH_INFO"]]] })
      p app.call("REQUEST_METHOD" => "GET", "PATH_INFO" => "/articles/17/pages/2")
    RUBY
    result = run_traced(["ruby", path])
    assert_match %r{\[200, \{\}, \["/articles/17/pages/2"\]\]}, result.out, result.err
    calls = result.spans.map(&:name).tally
    assert_equal 1, calls["test SomeTest#test_one"]
    assert_equal 1, calls["GET /articles/N/pages/N"]
  end

  # As for a symbol of whose number Ruby makes the object id; what is loaded later, too.
  def test_names_for_the_rrtrace_gem
    names, late = File.join(@folder, "names"), write_file("def loaded_later = 1")
    script = write_file("def known_early = 1\nload #{late.inspect}\nputs ENV['RINGVIZ_RRTRACE_NAMES']")
    result = run_plain(["ruby", "-I#{LIBRARY}", "-rringviz/rrtrace", script], "RINGVIZ_RRTRACE_NAMES" => names)
    assert_equal [0, "#{names}\n", ""], [result.status, result.out, result.err]
    %w[known_early loaded_later].each { |name| assert_match(/^\d+ #{name}$/, File.read(names)) }
    own = run_plain(["ruby", "-I#{LIBRARY}", "-rringviz/rrtrace", script]).out.chomp
    refute_empty own
    refute File.exist?(own)
  end

  # Under RUBYOPT every ruby that a program starts writes names: one started by it, and one that replaces it.
  def test_each_program_has_its_own_names_for_the_gem
    child = write_file("def of_child = 1\nputs ENV['RINGVIZ_RRTRACE_NAMES']")
    replaced = write_file("file = File.open(ENV['RINGVIZ_RRTRACE_NAMES'])\nfile.close_on_exec = false\n" \
                          "exec('ruby', #{write_file("puts File.for_fd(ARGV[0].to_i).read").inspect}, file.fileno.to_s)")
    script = write_file("def of_parent = 1\nputs `ruby \#{ARGV[0]}`, `ruby \#{ARGV[1]}`")
    names, env = File.join(@folder, "names"), { "RUBYOPT" => "-I#{LIBRARY} -rringviz/rrtrace" }
    [{ "RINGVIZ_RRTRACE_NAMES" => names }, {}].each do |given|
      result = run_plain(["ruby", script, child, replaced], env.merge(given))
      childs, *of_replaced = result.out.lines(chomp: true)
      assert_equal [0, "", false], [result.status, result.err, childs == names]
      refute File.exist?(childs)
      assert_includes of_replaced.join("\n"), " close_on_exec="
    end
    assert_match(/^\d+ of_parent$/, File.read(names))
    refute_match(/ of_child$/, File.read(names))
  end

  # Anybody may write to the folder for temporary files, and knows the numbers of processes.
  def test_names_for_the_gem_go_where_nobody_has_put_a_link
    command = "ln -s nowhere \"$TMPDIR/ringviz-rrtrace-$$\"; exec ruby -I#{LIBRARY} -rringviz/rrtrace -e 'puts :ran'"
    result = run_plain(["sh", "-c", command], "TMPDIR" => @folder)
    assert_equal [0, "ran\n", ""], [result.status, result.out, result.err]
    assert_equal 1, Dir[File.join(@folder, "ringviz-rrtrace-*")].size
    refute File.exist?(File.join(@folder, "nowhere"))
  end
end
