# Functions of a C extension's library, patched, inside the methods that call them.
require_relative "lib/ringviz_test"

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

  def inside?(inner, outer)
    inner[:thread] == outer[:thread] && inner[:start_ns].between?(outer[:start_ns], outer[:start_ns] + outer[:duration_ns])
  end
end
