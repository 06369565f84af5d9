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
      inner = natives.select { |span| span[:thread] == outer[:thread] && span[:start_ns].between?(outer[:start_ns], outer[:start_ns] + outer[:duration_ns]) }
      assert_equal [outer[:depth] + 1], inner.map { |span| span[:depth] }
    end
  end
end
