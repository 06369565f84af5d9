# A script that leaves methods and blocks in every way.
class RingvizTest
  WAYS_OUT = <<~'RUBY'
    require "timeout"
    def leaf(n = 0) = n
    def early(n) = (return leaf if n; 1)
    def raises(n) = n.zero? ? raise("x") : raises(n - 1)
    def rescues = (raises(5) rescue leaf)
    def ensures
      yield
    ensure
      leaf
    end
    def retries(n = 0)
      n += 1
      raises(2) if n < 4
      leaf
    rescue RuntimeError
      retry
    end
    def throws(n) = n.zero? ? throw(:done, leaf) : throws(n - 1)
    def catches = catch(:done) { throws(4); leaf }
    def each_three = (yield leaf(1); yield leaf(2); yield leaf(3))
    def breaks = each_three { |x| break x if x == 2 }
    def nexts = each_three { |x| next if x == 2; leaf }
    def returns_from_block = (each_three { |x| return x }; leaf)
    def in_lambda = ->(x) { return leaf(x) }.call(1)
    def in_proc = (proc { |x| return leaf(x) }.call(1); leaf)
    def redoes = (n = 0; [1].each { |_| n += 1; leaf; redo if n < 3 })
    def killed = (t = Thread.new { ensures { leaf; sleep } }; Thread.pass until t.status == "sleep"; t.kill; t.join)
    def raised_in = (t = Thread.new { begin; ensures { sleep }; rescue IOError; leaf; end }; Thread.pass until t.status == "sleep"; t.raise(IOError); t.join)
    def times_out = (Timeout.timeout(0.01) { ensures { sleep } } rescue leaf)
    def trapped = (trap("USR1") { leaf }; Process.kill("USR1", $$); sleep 0.01; leaf)
    def many(n) = n.times { |i| leaf(i) }
    early(true); early(false)
    rescues; retries; ensures { leaf }; catches; breaks; nexts; returns_from_block; in_lambda; in_proc; redoes
    killed; raised_in; times_out; trapped; many(1000)
  RUBY
end
