# A Fiber::Scheduler: each fiber waits for a file, a time or another fiber in one IO.select.
class Scheduler
  def initialize = (@waits, @sleeps, @blocked, @ready, @lock, @wake = {}, {}, {}, [], Mutex.new, IO.pipe)
  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  def of(event) = @waits.select { |_, (_, events)| events & event != 0 }.map { |fiber, (io, _)| [io, fiber] }
  def run
    until @waits.empty? && @sleeps.empty? && @ready.empty? && @blocked.empty?
      nap = @ready.empty? ? @sleeps.values.min&.then { |at| [at - now, 0].max } : 0
      reads, writes = of(IO::READABLE), of(IO::WRITABLE)
      readable, writable = IO.select([@wake[0], *reads.map(&:first)], writes.map(&:first), [], nap)
      @wake[0].read_nonblock(64, exception: false) if readable&.include?(@wake[0])
      due = reads.select { |io, _| readable&.include?(io) } + writes.select { |io, _| writable&.include?(io) }
      fibers = due.map(&:last).uniq.each { |fiber| @waits.delete(fiber) }
      fibers += @sleeps.select { |_, at| at <= now }.keys.each { |fiber| @sleeps.delete(fiber) }
      fibers += @lock.synchronize { @ready.slice!(0..) }
      fibers.uniq.each { |fiber| fiber.resume if fiber.alive? }
    end
  end
  def close = run
  def io_wait(io, events, _timeout) = (@waits[Fiber.current] = [io, events]; Fiber.yield; events)
  def kernel_sleep(duration = nil) = (block(:sleep, duration); true)
  def block(_blocker, timeout = nil)
    timeout ? @sleeps[Fiber.current] = now + timeout : @blocked[Fiber.current] = true # which keeps it alive
    Fiber.yield
  ensure
    [@sleeps, @blocked].each { |fibers| fibers.delete(Fiber.current) }
  end
  def unblock(_blocker, fiber)
    @lock.synchronize { @ready << fiber }
    @wake[1].write_nonblock(".")
  end
  def process_wait(pid, flags) = Thread.new { Process::Status.wait(pid, flags) }.value
  def fiber(&block) = Fiber.new(blocking: false, &block).tap(&:resume)
end
