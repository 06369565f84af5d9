# Servers and tests that run in several threads or forked processes: as many calls as TracePoint counts.
require_relative "lib/ringviz_test"

class ParallelTest < RingvizTest
  # At the lowest and the highest level, compiled, and on fewer native threads, as Ruby 3.3 can.
  def assert_same(text, only)
    %w[ruby all].each { |level| assert_same_counts(text, level: level, only: only) }
    assert_same_counts(text, only: only, options: YJIT, env: { "RUBY_MN_THREADS" => "1" })
  end

  def test_tests_in_parallel
    assert_same(<<~'RUBY', /^Object#|^Parallel#/)
      require "minitest"
      def leaf = 1
      def works(n) = (n.times { leaf }; sleep 0.001)
      class Parallel < Minitest::Test
        parallelize_me!
        12.times { |n| class_eval "def test_#{n} = (works(#{n}); assert true)" }
      end
      exit Minitest.run(%w[--seed 1])
    RUBY
  end

  def test_forked_servers_and_their_threads
    assert_same(<<~'RUBY', /^Object#/)
      require "socket"
      def leaf = 1
      def handles(client) = (client.gets; 3.times { leaf }; client.write("ok"); client.close)
      def serves(server) = loop { handles(server.accept) }
      def ends = ($write_counts.call; exit!)
      server = TCPServer.new("127.0.0.1", 0)
      children = 3.times.map { fork { trap("TERM") { ends }; 2.times.map { Thread.new { serves(server) } }.each(&:join) } }
      30.times { TCPSocket.open("127.0.0.1", server.addr[1]) { |socket| socket.puts "x"; socket.read } }
      children.each { |pid| Process.kill("TERM", pid) }
      Process.waitall
    RUBY
  end

  # As test-queue and Rails do it: each forked worker asks for the next test by a socket.
  def test_workers_that_ask_for_tests
    assert_same(<<~'RUBY', /^Object#|^Queued#/)
      require "minitest"
      require "socket"
      def leaf = 1
      class Queued < Minitest::Test
        40.times { |n| class_eval "def test_#{n} = (#{n}.times { leaf }; #{n} % 7 == 0 ? flunk : pass)" }
        def setup = leaf
        def teardown = leaf
        make_my_diffs_pretty!
      end
      Minitest::Runnable.runnables.clear
      def gives(server, names) = while (client = server.accept) do (client.puts(names.shift || "end"); client.close) end
      def asks(port) = TCPSocket.open("127.0.0.1", port, &:gets).chomp
      def works(port)
        until (name = asks(port)) == "end"
          Queued.new(name).run
        end
      end
      server = TCPServer.new("127.0.0.1", 0)
      workers = 3.times.map { fork { works(server.addr[1]) } }
      giver = Thread.new { gives(server, Queued.public_instance_methods.grep(/test_/).map(&:to_s)) }
      workers.each { |pid| Process.wait(pid) }
      giver.kill.join
    RUBY
  end

  # What parallel_tests is made of.
  def test_parallel
    skip "parallel is not installed" unless system("ruby", "-e", 'require "parallel"', err: File::NULL)
    assert_same(<<~'RUBY', /^Object#/)
      require "parallel"
      def leaf(n = 1) = n
      def works(n) = n.times.sum { leaf }
      def fails(n) = n == 3 ? raise(IOError) : leaf
      Parallel.map(1..20, in_processes: 3) { |n| works(n) }
      Parallel.map(1..20, in_threads: 3) { |n| works(n) }
      Parallel.each(1..6, in_processes: 2) { |n| fails(n) } rescue leaf
      Parallel.each(1..6, in_threads: 2) { |n| raise Parallel::Break if n == 4; works(n) }
    RUBY
  end

  def test_a_cluster_of_puma
    skip "puma is not installed" unless system("ruby", "-e", 'gem "puma"', err: File::NULL)
    assert_same_counts(<<~'RUBY', only: /^App#/)
      require "puma"
      require "puma/cli"
      require "net/http"
      class App
        def call(env) = [200, {}, [body(env["PATH_INFO"])]]
        def body(path) = path.chars.map { |char| leaf(char) }.join
        def leaf(char) = char.upcase
      end
      port = TCPServer.open("127.0.0.1", 0) { |server| server.addr[1] }
      config = Puma::Configuration.new { |c| c.bind "tcp://127.0.0.1:#{port}"; c.workers 2; c.threads 2, 2; c.app App.new; c.quiet }
      quiet = defined?(Puma::LogWriter) ? { log_writer: Puma::LogWriter.null } : { events: Puma::Events.null }
      launcher = Puma::Launcher.new(config, **quiet)
      asks = Thread.new do
        uri = URI("http://127.0.0.1:#{port}/abc")
        begin
          Net::HTTP.get(uri)
        rescue SystemCallError
          sleep 0.05
          retry
        end
        4.times.map { Thread.new { 20.times { Net::HTTP.get(uri) } } }.each(&:join)
        launcher.stop
      end
      launcher.run
      asks.join
    RUBY
  end
end
