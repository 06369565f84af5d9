# Ruby workloads of --bench=overhead. Prints a line each: NAME NANOSECONDS CLOCK, the least of all samples.
# RINGVIZ_BENCH_TRACER names another tracer, to run under.
#
#   unroll    per call: an empty method
#   web       per request: a route, parameters, a template of 20 records or a record as JSON
#   fibers    per item: one generator reads another
#   console   per instruction of a made-up console: a method each, and a fiber that draws six dots; as dense in calls of Ruby's
#             methods and of C's as Optcarrot, an emulator (README)
require "erb"
require "json"

def trace
  case ENV["RINGVIZ_BENCH_TRACER"]
  when "tracepoints", "hook", "hook_all", "hook_clock", "hook_clock_all"
    require_relative "ringviz-bench/#{RUBY_VERSION[/\d+\.\d+/]}.0/ringviz_bench_tracepoints"
  when "tracepoint" then TracePoint.new(:call, :return) {}.enable
  when "ruby-prof"
    require "ruby-prof"
    RubyProf.start
  when "stackprof"
    require "stackprof"
    StackProf.start(mode: :wall, interval: 1000, raw: true)
  end
rescue LoadError
  exit 127
end

class Unroll
  def empty; end

  def run(calls)
    while (calls -= 20) >= 0
      empty; empty; empty; empty; empty; empty; empty; empty; empty; empty
      empty; empty; empty; empty; empty; empty; empty; empty; empty; empty
    end
  end
end

class Web
  Article = Struct.new(:id, :title, :author, :tags, keyword_init: true) do
    def slug = title.downcase.gsub(/[^a-z0-9]+/, "-")
    def to_h_for_json = { id: id, title: title, slug: slug, author: author, tags: tags }
  end

  PAGE = ERB.new(<<~HTML, trim_mode: "-")
    <h1><%= h(@heading) %></h1>
    <%- @articles.each do |article| -%>
    <li><a href="/articles/<%= article.slug %>"><%= h(article.title) %></a> by <%= h(article.author) %>
      <%= article.tags.map { |tag| "#" + tag }.join(" ") %></li>
    <%- end -%>
  HTML
  PAGE.def_method(self, "page")

  def initialize
    @articles = Array.new(20) do |i|
      Article.new(id: i, title: "Article <#{i}> & more", author: "Author #{i % 3}", tags: %W[tag#{i % 5} all])
    end
    @routes = { "/articles" => :index, "/articles/:id" => :show }
  end

  def h(text) = ERB::Util.html_escape(text)

  def parse(query) = query.split("&").to_h { |pair| pair.split("=", 2) }

  def route(path)
    @routes.each do |pattern, action|
      return action if /\A#{pattern.gsub(/:\w+/, "[^/]+")}\z/.match?(path)
    end
    nil
  end

  def index(parameters)
    @heading = "Page #{parameters["page"]}"
    page
  end

  def show(parameters) = JSON.generate(JSON.parse(JSON.generate(@articles[parameters["id"].to_i].to_h_for_json)))

  def request(path, query) = send(route(path), parse(query))

  def run(n)
    n.times do |i|
      request("/articles", "page=#{i}&order=title") if i.even?
      request("/articles/#{i % 20}", "id=#{i % 20}&format=json") if i.odd?
    end
  end
end

class Fibers
  def numbers = Enumerator.new { |items| n = 0; loop { items << next_of(n += 1) } }
  def next_of(n) = n * 3 % 7
  def doubled(from) = Enumerator.new { |items| loop { items << twice(from.next) } }
  def twice(n) = 2 * n

  def run(n)
    items = doubled(numbers)
    n.times { items.next }
  end
end

class Console
  WIDTH = 256
  PROGRAM = [0x01, 7, 0x02, 0x40, 0x03, 0x40, 0x04, 3, 0x05, 0x41, 0x06, 0x40, 0x07, 0xf2].freeze
  OPERATIONS = { 1 => :load, 2 => :store, 3 => :add, 4 => :xor, 5 => :store, 6 => :increment, 7 => :branch }.freeze
  COLORS = Array.new(64) { |i| i * 0x10101 }.freeze

  def initialize
    @memory = PROGRAM + [0] * (256 - PROGRAM.size)
    @tiles = Array.new(256) { |i| Array.new(8) { |bit| i >> bit & 1 } }.freeze
    @sprites = Array.new(WIDTH) { |x| x % 48 < 8 ? 2 : nil }
    @a = @pc = @clock = @until = @column = @scroll = 0
    @zero = @overlaps = false
    @shows = @shows_sprites = true
    @tile = @tiles[0]
    @latch1 = @latch2 = @latch3 = @latch4 = @latch5 = @latch6 = 0
    @latch7 = @latch8 = @latch9 = @latch10 = @latch11 = @latch12 = 0
    @latch13 = @latch14 = @latch15 = @latch16 = @latch17 = @latch18 = 0
    @line = []
    @video = Fiber.new { draw }
  end

  def fetch
    byte = @memory[@pc]
    @pc = (@pc + 1) & 0xff
    byte
  end

  def peek(address) = @memory[address]

  def poke(address, byte)
    @memory[address] = byte
  end

  def flags(byte)
    @zero = byte == 0
    @a = byte & 0xff
  end

  def load(byte) = flags(byte)
  def store(byte) = poke(byte, @a)
  def add(byte) = flags(@a + peek(byte) & 0xff)
  def xor(byte) = flags(@a ^ byte)
  def increment(byte) = poke(byte, peek(byte) + 1 & 0xff)

  def branch(byte)
    @pc = (@pc + byte) & 0xff unless @zero
  end

  def wait_clock
    @clock += 1
    Fiber.yield if @until <= @clock
  end

  def next_tile
    @tile = @tiles[peek(@column & 0xff)]
  end

  def background
    return 0 unless @shows
    @tile[@column + @scroll & 7]
  end

  # Latches: a dot comes out eighteen clocks after it went in.
  def shift(color)
    out = @latch1
    @latch1 = @latch2
    @latch2 = @latch3
    @latch3 = @latch4
    @latch4 = @latch5
    @latch5 = @latch6
    @latch6 = @latch7
    @latch7 = @latch8
    @latch8 = @latch9
    @latch9 = @latch10
    @latch10 = @latch11
    @latch11 = @latch12
    @latch12 = @latch13
    @latch13 = @latch14
    @latch14 = @latch15
    @latch15 = @latch16
    @latch16 = @latch17
    @latch17 = @latch18
    @latch18 = color
    out
  end

  def dot
    color = background
    if @shows_sprites && (sprite = @sprites[@column])
      if color == 0
        color = sprite
      else
        @overlaps = true
      end
    end
    @line << COLORS[shift(color) & 63]
    @column += 1
    wait_clock
  end

  def draw
    loop do
      @line.clear
      @column = 0
      while @column < WIDTH
        next_tile
        dot; dot; dot; dot; dot; dot; dot; dot
      end
    end
  end

  def step
    @until += 6
    send(OPERATIONS[fetch], fetch)
  end

  def run(n)
    while (n -= 1) >= 0
      step
      @video.resume if n & 31 == 0
    end
  end
end

SAMPLES = 8
WORKLOADS = { unroll: [Unroll.new, 100_000], web: [Web.new, 100], fibers: [Fibers.new, 10_000],
              console: [Console.new, 4_000] }

def clock = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :nanosecond)

def sample(workload, n)
  start = clock
  workload.run(n)
  (clock - start).fdiv(n)
end

WORKLOADS.each_value { |workload, n| workload.run(n / 20) }
trace
WORKLOADS.each { |name, (workload, n)| puts "#{name} #{SAMPLES.times.map { sample(workload, n) }.min} cpu" }
