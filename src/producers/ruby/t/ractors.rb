# Ractors: every call inside of each, in lanes of their own, and nothing that the program could tell.
require_relative "lib/ringviz_test"

class RactorsTest < RingvizTest
  SCRIPT = <<~'RUBY'
    Warning[:experimental] = false
    def work(n) = n.zero? ? 0 : 1 + work(n - 1)
    def leaf = 1
    named = Ractor.new(5, name: "five") { |n| Thread.new { work(3) }.join; [work(n), Ractor.receive, self.class, name] }
    puts named.inspect[/\A#<Ractor:#2 five .*:4 /]
    named.send(7)
    p named.take
    begin
      outer = 1
      Ractor.new { outer }
    rescue ArgumentError => error
      puts error.message
    end
    begin
      Ractor.new
    rescue ArgumentError => error
      puts error.message
    end
    failing = Ractor.new { Thread.current.report_on_exception = false; raise "inside" }
    begin
      failing.take
    rescue Ractor::RemoteError => error
      p error.cause
    end
    p Ractor.new([1, 2], [3]) { |a, *b| next [a, b] }.take
    p Ractor.new([1, 2]) { |a, b| [a, b] }.take
    p 4.times.map { Ractor.new { fiber = Fiber.new { Fiber.yield work(9); leaf }; [fiber.resume, fiber.resume, work(40)] } }.flat_map(&:take)
  RUBY

  def test_every_call_inside_ractors_is_counted
    path = write_file(SCRIPT)
    result = run_traced(["ruby", path])
    assert_equal run_plain(["ruby", path]).out, result.out
    assert_equal({ "Object#work" => 4 + 6 + 4 * (10 + 41), "Object#leaf" => 4 }, names(result, path).tally)
    assert_empty result.spans.select { |span| span.file == path && !span.flags.empty? }
  end

  # Ruby has the events of all Ractors in one place, which each change of hooks writes.
  def test_hooks_of_the_main_ractor_stay_while_others_begin
    loaded = write_file("def covered\n  3.times do\n    1\n  end\nend\n")
    path = write_file(<<~RUBY)
      require "coverage"
      Warning[:experimental] = false
      def leaf = 1
      before = GC.count
      Ractor.new { 2.times { GC.start } }.take
      3.times { GC.start }
      seen = []
      TracePoint.new(:line) { |point| seen << point.lineno }.enable do
        Ractor.new { leaf }.take
        leaf
      end
      Coverage.start
      load #{loaded.inspect}
      Ractor.new { leaf }.take
      covered
      seen << Coverage.result[#{loaded.inspect}]
      puts "\#{seen} \#{GC.count - before}"
    RUBY
    result = run_traced(["ruby", path])
    assert_equal run_plain(["ruby", path]).out[/.*\]/], result.out[/.*\]/]
    collections = result.spans.select { |span| span.name.match?(/\AGC\.(minor|major) \(/) }
    assert_equal result.out[/\d+$/].to_i, collections.size
    assert_equal 5, collections.count { |span| span.name == "GC.major (force, method)" }
    assert_equal 2, collections.map(&:thread).uniq.size
  end

  def test_each_ractor_has_a_lane_of_its_own
    path = write_file(SCRIPT)
    out = run_plain([ENV.fetch("RINGVIZ"), "--report", "--", "ruby", path]).out
    assert_match(/ Ractor 2 five$/, out)
    assert_match(/ Ractor 2 five: script1.rb:4$/, out)
    assert_operator out.scan(/ Ractor \d+$/).uniq.size, :>=, 4
  end

  def test_reports_have_the_sums_of_a_ractor
    path = write_file(<<~'RUBY')
      def leaf = 1
      Ractor.new(name: "kept") { leaf; 2.times { Thread.new { leaf }.join } }.take
      Ractor.new { leaf }.take
    RUBY
    report = JSON.parse(run_plain([ENV["RINGVIZ"], "--report=json", "--", "ruby", "-W0", path]).out)
    own = report["threads"].select { |thread| thread["name"].start_with?("Ractor 2 kept") }
    assert_equal [["Ractor 2 kept", 3, own.sum { |thread| thread["events"] }]],
                 report["thread_groups"].map { |group| group.values_at("name", "threads", "events") }
  end

  def test_blocks_and_functions_inside_ractors_are_seen
    path = write_file("Warning[:experimental] = false\nRactor.new { 5.times { [3, 1].sort } }.take\n")
    calls = run_traced(["ruby", path], env: { "RINGVIZ_RUBY" => "all" }).spans.map(&:name).tally
    assert_equal 5, calls["Array#sort"]
    assert_equal 1, calls["Integer#times"]
    assert_equal 5, calls["block (2 levels) in <main>"]
  end

  def test_many_ractors_at_a_time_lose_nothing
    path = write_file(<<~'RUBY')
      Warning[:experimental] = false
      def work(n) = n.zero? ? [n.to_s] : [work(n - 1)]
      8.times { 4.times.map { Ractor.new { 50.times { work(10) }; GC.start } }.each(&:take) }
    RUBY
    assert_equal({ "Object#work" => 8 * 4 * 50 * 11 }, names(run_traced(["ruby", path]), path).tally)
  end
end
