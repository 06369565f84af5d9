# Fibers that a scheduler resumes: as many calls as TracePoint counts.
require_relative "lib/ringviz_test"

class SchedulersTest < RingvizTest
  LEVELS = { "ruby" => /^Object#/, "blocks" => /^Object#|^block in Object#/, "all" => /^Object#|^Integer#times|^Queue#/ }.freeze

  def assert_same(text)
    LEVELS.each { |level, only| assert_same_counts(text, level: level, only: only) }
    assert_same_counts(text, only: LEVELS["ruby"], options: YJIT, env: { "RUBY_MN_THREADS" => "1" })
  end

  def test_files_times_queues_and_processes
    assert_same("require \"socket\"\nrequire #{File.join(__dir__, "lib/scheduler.rb").inspect}\n" + <<~'RUBY')
      def leaf = 1
      def naps(n) = n.times { leaf; sleep 0.0005 }
      def serves(server) = (client = server.accept; client.write(client.gets); leaf; client.close)
      def asks(port) = (s = TCPSocket.new("127.0.0.1", port); s.puts "x"; s.gets; leaf; s.close)
      def pops(queue) = (queue.pop; leaf)
      def raises = (sleep 0.001; raise IOError)
      def rescues
        raises
      rescue IOError
        leaf
      end
      Thread.new do
        Fiber.set_scheduler(Scheduler.new)
        server = TCPServer.new("127.0.0.1", 0)
        queue = Queue.new
        50.times { Fiber.schedule { naps(5) } }
        20.times { Fiber.schedule { serves(server) } }
        20.times { Fiber.schedule { asks(server.addr[1]) } }
        5.times { Fiber.schedule { pops(queue) } }
        Fiber.schedule { 5.times { queue << 1; sleep 0.001 } }
        Fiber.schedule { rescues }
        Fiber.schedule { Process.wait(spawn("true")); leaf }
      end.join
      leaf
    RUBY
  end

  def test_two_thousand_fibers_at_a_time
    assert_same_counts("require #{File.join(__dir__, "lib/scheduler.rb").inspect}\n" + <<~'RUBY')
      def leaf = 1
      def naps = (leaf; sleep 0.01; leaf)
      Thread.new { Fiber.set_scheduler(Scheduler.new); 2000.times { Fiber.schedule { naps } } }.join
    RUBY
  end

  def test_async
    skip "async is not installed" unless system("ruby", "-e", 'require "async"', err: File::NULL)
    assert_same(<<~'RUBY')
      require "async"
      require "async/semaphore"
      require "async/queue"
      def leaf = 1
      def naps(task, n) = n.times { leaf; task.sleep(0.0005) }
      def takes(queue) = (queue.dequeue; leaf)
      def stops(task) = (task.sleep 9)
      def times_out(task) = task.with_timeout(0.002) { task.sleep 9 }
      def rescues(task)
        times_out(task)
      rescue Async::TimeoutError
        leaf
      end
      Async do |task|
        queue, few = Async::Queue.new, Async::Semaphore.new(2)
        30.times { task.async { |child| naps(child, 5) } }
        10.times { few.async { |child| naps(child, 2) } }
        5.times { task.async { takes(queue) } }
        task.async { rescues(task) }
        stopped = task.async { |child| stops(child) }
        task.async { |child| child.sleep 0.005; 5.times { queue.enqueue(1) }; stopped.stop }
      end
      leaf
    RUBY
  end
end
