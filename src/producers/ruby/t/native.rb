# Functions of a C extension's library, patched, inside the methods that call them.
require_relative "lib/ringviz_monitor"

class NativeTest < RingvizTest
  def test_native_calls_lie_in_their_methods
    path, spans = write_file(<<~'RUBY'), File.join(@folder, "spans.json")
      require "zlib"
      def packs = Zlib::Deflate.deflate("text" * 1000)
      def in_turn = (packs; Fiber.yield; packs)
      def yields = yield
      packs
      Thread.new { yields { packs; packs } }.join
      fibers = 3.times.map { Fiber.new { yields { in_turn } } }
      2.times { fibers.each(&:resume) }
      Process.wait(fork { Thread.new { packs }.join; packs })
    RUBY
    result = run_plain([ENV.fetch("RINGVIZ"), "--patch=^deflate(Init2_)?$@libz", "--spans=json", "--output=#{spans}", "--", "ruby", path])
    assert_equal 0, result.status, result.err
    all = File.foreach(spans).map { |line| JSON.parse(line, symbolize_names: true) }
    assert_empty all.reject { |span| span[:flags].to_s.empty? }
    packs, natives = %w[#packs deflate].map { |name| all.select { |span| span[:name].end_with?(name) } }
    assert_equal [11, 11], [packs.size, natives.size]
    packs.each do |outer|
      inner = natives.select { |span| inside?(span, outer) }
      assert_equal [outer[:depth] + 1], inner.map { |span| span[:depth] }
    end
  end

  # Database drivers call libraries that call each other, in threads and fibers; none lies beside its method.
  def test_calls_of_a_database_lie_in_the_methods_of_its_driver
    skip "no sqlite3" unless run_plain(%w[ruby -rsqlite3 -e1]).status == 0
    path, spans = write_file(<<~'RUBY'), File.join(@folder, "spans.json")
      require "sqlite3"
      $base = SQLite3::Database.new(":memory:")
      def query(n) = $base.execute("select ? + 1", [n]).first.first
      numbers = [query(1), Thread.new { query(2) }.value]
      fibers = 3.times.map { |i| Fiber.new { numbers << query(i); Fiber.yield; numbers << query(i) } }
      2.times { fibers.each(&:resume) }
      print numbers.sum
    RUBY
    result = run_plain([ENV.fetch("RINGVIZ"), "--patch=^sqlite3_(prepare_v2|step)$@libsqlite3", "--spans=json", "--output=#{spans}", "--", "ruby", path])
    assert_equal "17", result.out, result.err
    all = File.foreach(spans).map { |line| JSON.parse(line, symbolize_names: true) }
    steps, queries = %w[sqlite3_step #query].map { |name| all.select { |span| span[:name].end_with?(name) } }
    assert_equal 8, queries.size
    queries.each { |query| assert_operator steps.count { |step| inside?(step, query) }, :>=, 2 }
    steps.each { |step| assert_equal [*0...step[:depth]], all.select { |span| span[:depth] < step[:depth] && inside?(step, span) }.map { |span| span[:depth] }.sort }
  end

  # The stack of a stopped thread: functions lie between the methods, which alone have numbers.
  def test_functions_lie_in_the_stack
    skip "no sqlite3" unless run_plain(%w[ruby -rsqlite3 -e1]).status == 0
    program = RingvizMonitor.new(@folder, write_file(<<~'RUBY'), options: ["--patch=^sqlite3_step$@libsqlite3"])
      require "sqlite3"
      $base = SQLite3::Database.new(":memory:")
      def doubled(n) = 2 * n
      def query(n) = $base.execute("select doubled(?)", [n]).first.first
      $base.create_function("doubled", 1) { |function, n| function.result = doubled(n) }
      $go = nil
      sleep 0.01 until $go
      print query(21)
    RUBY
    program.wait_for { program.ask("stack").match?(/^#0 main program at S line 7$/) }
    program.ask("stop", "break Object#doubled", "eval $go = true", "run")
    assert_equal "ring 0 stopped: Object#doubled(n=21) at S line 3", program.ask("wait 60")
    stack = program.ask("stack").lines(chomp: true)
    steps, queries = [/^   sqlite3::sqlite3_step/, /^#\d+ Object#query\(n=21\)/].map { |frame| stack.index { |line| line.match?(frame) } }
    assert_operator steps, :>, stack.index { |line| line.match?(/^#\d+ block in <main>/) }, stack
    assert_operator steps, :<, queries, stack
    numbered = stack.grep(/^#/)
    assert_equal numbered.each_index.to_a, numbered.map { |line| line[1..].to_i }
    number = numbered.index { |line| line.include?("Object#query") }
    assert_equal [numbered[number], "21"], program.ask("frame #{number}", "eval n")
    program.ask("break delete all", "run")
    assert_equal "42status 0", program.end
    program = nil
  ensure
    program&.kill
  end

  def inside?(inner, outer)
    inner[:thread] == outer[:thread] && inner[:start_ns].between?(outer[:start_ns], outer[:start_ns] + outer[:duration_ns])
  end
end
