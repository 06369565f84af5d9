# A running program, as a monitor stops, asks and steps it.
require_relative "lib/ringviz_monitor"

class ControlTest < RingvizTest
  IDLE = "def idle = sleep(0.01)\n$go = nil\nidle until $go\n" # three lines

  def control(text, idle: IDLE, **with)
    monitor = RingvizMonitor.new(@folder, write_file(idle + text), **with)
    yield monitor
    has_ended = true
  ensure
    monitor&.kill unless has_ended
  end

  def at(frame, line) = "ring 0 stopped: #{frame} at S line #{line}"

  ADDER = <<~'RUBY'
    class Adder
      def initialize(base)
        @base = base
      end
      def add(n, *rest, key: 1)
        sum = @base + n

        $sum += n
        sum
      end
      def self.make = new(10)
    end
    $sum = 0
    def work(times)
      adder = Adder.make
      1.upto(times) do |i|
        adder.add(i, "é\n", key: 2)
      end
      "done"
    end
    puts "#{work(3)} #{$sum}"
    exit 5
  RUBY

  def test_breakpoints_steps_and_the_stack
    control(ADDER) do |program|
      assert_match(/^#0 Object#idle\(\) at S line 1\n#1 main program at S line 3$/, program.ask("stack"))
      assert_equal "error: not stopped", program.ask("step")
      assert_equal at("Object#idle()", 1), program.ask("stop")
      assert_equal "1 Adder#add (not loaded yet)", program.ask("break Adder#add")
      assert_equal "2 #{program.script}:11".sub(program.script, "S"), program.ask("break #{program.script}:11")
      assert_equal "error: line 10 has no statement; the next statement is on line 11", program.ask("break #{program.script}:10")
      assert_equal "error: line 99 has no statement", program.ask("break #{program.script}:99")
      assert_equal "3 nosuch.rb:6 (not loaded yet)", program.ask("break nosuch.rb:6")
      assert_equal ["ok", "error: no breakpoint 3"], program.ask("break delete 3", "break delete 3")
      assert_equal "1 Adder#add\n2 S:11", program.ask("break")
      assert_equal "error: Integer#+ is not written in Ruby", program.ask("break Integer#+")
      assert_equal "error: it is Kernel#puts", program.ask("break Object#puts")
      assert_equal "error: give METHOD, raise or FILE:LINE, optionally with if EXPR", program.ask("break script.rb")
      assert_equal ["true", "ring 0 runs"], program.ask("eval $go = true", "run")
      assert_equal at('Adder#add(n=1, rest=[...], key=2)', 9), program.ask("wait 60")
      assert_equal <<~TEXT.chomp, program.ask("stack")
        #0 Adder#add(n=1, rest=[...], key=2) at S line 9
        #1 block in Object#work(i=1) at S line 20
        #2 Object#work(times=3) at S line 19
        #3 main program at S line 24
      TEXT
      assert_equal ["nil", "#<Adder @base=10>"], program.ask("eval sum", "eval self")
      assert_equal at('Adder#add(n=1, rest=[...], key=2)', 11), program.ask("step")
      assert_equal ["11", "100"], program.ask("eval sum", "eval sum = 100")
      assert_equal at('Adder#add(n=1, rest=[...], key=2)', 12), program.ask("next")
      assert_equal "100", program.ask("eval sum")
      assert_equal ["#1 block in Object#work(i=1) at S line 20", '[1, #<Adder @base=10>, 3]'],
                   program.ask("up", "eval [i, adder, times]")
      assert_match(/^>   20      adder\.add/, program.ask("list"))
      assert_equal "ok", program.ask("break delete all")
      assert_equal at("block in Object#work(i=2)", 20), program.ask("finish")
      assert_equal at('Adder#add(n=2, rest=[...], key=2)', 9), program.ask("step")
      assert_equal at("block in Object#work(i=3)", 20), program.ask("finish")
      assert_equal at("Object#work(times=3)", 22), program.ask("next")
      assert_equal at("main program", 25), program.ask("next")
      assert_equal "error: it is in no method", program.ask("finish")
      assert_equal "error: its main program has already begun", program.ask("start")
      assert_equal "ring 0 runs", program.ask("run")
      assert_equal "error: ring 0: it has ended", program.ask("wait 60")
      assert_equal "done 6\nstatus 5", program.end
    end
  end

  VALUES = {
    "1 + 1" => "2",
    '"é\t\"\x01\\\\"' => '"é\t\"\x01\\\\"',
    '"\xff".b' => '"\xFF"',
    "nil" => "nil",
    ":a" => ":a",
    '[1, [2], {"a" => nil, b: 2.5}]' => '[1, [2], {"a"=>nil, :b=>2.5}]',
    "[[[[1]]]]" => "[[[[...]]]]",
    "(1..3)" => "1..3",
    "Struct.new(:x).new(1)" => "#<struct #<Class> x=1>",
    "IOError.new('x')" => "#<IOError: x>",
    "Class.new { def inspect = raise }.new" => "#<#<Class>>",
    "(1..200).to_a" => "[#{(1..100).to_a.join(", ")}, ...]",
    '"x" * 5000' => "\"#{"x" * 5000}\"",
    '"x" * 70000' => /\A"x{65000,66000}"\.\.\.\z/,
    'puts "said"; 5' => "said\n5",
    'warn "warned"; print "é"; 5' => "warned\né\n5",
    "raise 'why'" => "error: RuntimeError: why",
    "1 +" => /\Aerror: SyntaxError: expression:1: syntax error/,
    "no_such" => /\Aerror: NameError: undefined local variable or method `no_such' for main(:Object)?\z/,
    "throw :up" => "error: UncaughtThrowError: uncaught throw :up",
    "Thread.new { 6 * 7 }.value" => "42",
    "idle; 1" => "1",
    "__FILE__" => '"expression"'
  }.freeze

  def test_values
    control("puts 'end'\n") do |program|
      program.ask("stop", "up")
      VALUES.each do |expression, value|
        answer = program.ask("eval #{expression}").gsub(/(?<=#<Class):0x\h+/, "")
        value.is_a?(Regexp) ? assert_match(value, answer) : assert_equal(value, answer, expression)
      end
      assert_equal "[1, [...]]", program.ask("depth 1", "eval [1, [2]]")[1]
      program.ask("eval $go = 1", "run", "wait 60")
      assert_equal "end\nstatus 0", program.end
    end
  end

  def test_conditions_exceptions_and_watches
    control(<<~'RUBY') do |program|
      def leaf(n)
        raise IOError, "no #{n}" if n == 3
        n
      end
      def tries(n)
        leaf(n)
      rescue IOError => e
        e.message
      ensure
        $last = n
      end
      5.times { |i| tries(i) }
      Integer("7")
      begin
        "x" * -1
      rescue ArgumentError
      end
      puts "end"
    RUBY
      program.ask("stop")
      assert_equal "1 Object#leaf if n > 1 (not loaded yet)", program.ask("break leaf if n > 1")
      assert_equal "2 raise IOError", program.ask("break raise IOError")
      program.ask("eval $go = 1", "run")
      assert_equal at("Object#leaf(n=2)", 5), program.ask("wait 60")
      assert_equal "3 Object#leaf if nope", program.ask("break leaf if nope")
      program.ask("break delete 1", "run")
      assert_match(/\A#{Regexp.escape(at("Object#leaf(n=3)", 5))}\n3 Object#leaf if nope: error: NameError: undefined local variable or method `nope'/,
                   program.ask("wait 60"))
      program.ask("break delete 3", "run")
      assert_equal at("Object#leaf(n=3)", 5) + "\n2 raise IOError: #<IOError: no 3>", program.ask("wait 60")
      assert_equal at("rescue in Object#tries()", 11), program.ask("finish")
      assert_equal at("Object#tries(n=3)", 13), program.ask("next")
      assert_equal "4 watch $last = 2", program.ask("watch $last")
      assert_match(/\Aerror: NameError: undefined local variable or method `nope'/, program.ask("watch nope"))
      program.ask("run")
      assert_match(/\A#{at("", "").delete_suffix(" at S line ")}.*\n4 watch \$last: 2 => 3\z/, program.ask("wait 60"))
      assert_equal "5 raise", program.ask("break delete 4", "break raise")[1]
      program.ask("run")
      assert_equal at("main program", 18) + "\n5 raise: #<ArgumentError: negative argument>", program.ask("wait 60")
      program.ask("run", "wait 60")
      assert_equal "end\nstatus 0", program.end
    end
  end

  def test_a_watched_program_goes_on
    control(<<~RUBY) do |program|
      def leaf(n) = n + 1
      @seen = 1
      n = 1
      100.times { n = leaf(n) }
      @seen = n
      puts "end"
    RUBY
      program.ask("stop", "break #{program.script}:6", "eval $go = 1", "run")
      assert_equal at("main program", 6), program.ask("wait 60")
      assert_equal ["2 watch @seen = 1", "ring 0 runs"], program.ask("watch @seen", "run")
      assert_equal at("main program", 9) + "\n2 watch @seen: 1 => 101", program.ask("wait 30")
      assert_match(/\Aerror: SyntaxError: /, program.ask("watch }; {"))
      assert_equal '3 watch "é#{n}" # and so on = "é101"', program.ask('watch "é#{n}" # and so on')
      assert_equal "ring 0 runs", program.ask("run")
      assert_equal "end\nstatus 0", program.end
    end
  end

  def test_watched_variables_of_each_kind
    control(<<~RUBY) do |program|
      @flag = false
      @number = nil
      text = +"a"
      list = [1]
      count = 0
      nothing = 1
      3.times { count += 1 }
      text << "b"
      nothing = 2
      list[0] = 2
      @flag = 1
      @flag = true
      @number = 1.5
      puts "end"
    RUBY
      program.ask("stop", "break #{program.script}:10", "eval $go = 1", "run")
      program.ask("wait 60")
      program.ask("break delete 1", "watch @flag", "watch @number", "watch text", "watch list", "watch count", "watch list.size")
      stops = Array.new(8) { program.ask("run", "wait 60")[1].lines.last.strip }
      assert_equal ["6 watch count: 0 => 1", "6 watch count: 1 => 2", "6 watch count: 2 => 3", '4 watch text: "a" => "ab"',
                    "5 watch list: [1] => [2]", "2 watch @flag: false => 1", "2 watch @flag: 1 => true",
                    "3 watch @number: nil => 1.5"], stops
      program.ask("run")
      assert_equal "end\nstatus 0", program.end
    end
  end

  def test_code_that_is_loaded_later
    library = write_file("class Later\n  def self.go(n)\n    n\n  end\n  define_method(:made) { |x|\n    x + 1 }\nend\n", "later.rb")
    control(<<~RUBY) do |program|
      load #{library.inspect}
      idle until $made
      p Later.go(1), Later.new.made(2)
      eval("def evald\n  5\nend", binding, "text", 1)
      evald
    RUBY
      program.ask("stop")
      assert_equal "1 Later.go (not loaded yet)", program.ask("break Later.go")
      assert_equal "2 later.rb:3 (not loaded yet)", program.ask("break later.rb:3")
      assert_equal "3 text:2 (not loaded yet)", program.ask("break text:2")
      program.ask("eval $go = 1", "run")
      program.wait_for { program.ask("eval defined?(Later.new.made)") == '"method"' }
      program.ask("stop")
      assert_equal "4 Later#made", program.ask("break Later#made")
      program.ask("eval $made = 1", "run")
      assert_equal "ring 0 stopped: Later.go(n=1) at #{library} line 3", program.ask("wait 60")
      assert_equal "ring 0 stopped: Later#made(x=2) at #{library} line 6", program.ask("run", "wait 60")[1]
      assert_equal "ring 0 stopped: Object#evald() at text line 2", program.ask("run", "wait 60")[1]
      program.ask("run", "wait 60")
      assert_equal "1\n3\nstatus 0", program.end
    end
  end

  # A loop of functions in C, and expressions that do not end.
  def test_a_program_that_makes_no_calls
    control(<<~'RUBY', idle: "def first = 1\nfirst\n") do |program|
      n = 0
      until $stop
        n += 1
        sleep 0.001
      end
      puts "end"
    RUBY
      assert_match(/\Aring 0 stopped: main program at S line [345]\z/, program.ask("stop"))
      assert_match(/\A\d+\z/, program.ask("eval n"))
      assert_match(/\Aerror: ring 0: it does not answer/, program.ask("eval loop {}"))
      assert_equal "1", program.ask("eval 1")
      assert_equal "0 sleep: error: given up", program.ask("display sleep")
      program.ask("display delete 0", "eval $stop = 1", "run", "wait 60")
      assert_equal "end\nstatus 0", program.end
    end
  end

  # Nor are there statements in its loop.
  def test_a_loop_in_one_line
    control("$stop = nil\nsleep 0.001 until $stop\nputs 'end'\n", idle: "def first = 1\nfirst\n") do |program|
      assert_equal at("main program", 4), program.ask("stop")
      assert_equal ["nil", "#<Object>"], program.ask("eval $stop", "eval self")
      assert_equal at("main program", 5), program.ask("eval $stop = 1", "next")[1]
      program.ask("run", "wait 60")
      assert_equal "end\nstatus 0", program.end
    end
  end

  def test_an_expression_may_exit
    control("at_exit { puts 'at exit' }\n") do |program|
      program.ask("stop")
      program.ask("eval exit 3")
      assert_equal "status 3", program.end
    end
  end

  FIBERS = <<~'RUBY'
    def leaf(n)
      n + 1
    end
    def inside(n)
      given = Fiber.yield(leaf(n))
      leaf(given)
    end
    def drives(fiber)
      first = fiber.resume(1)
      last = fiber.resume(10)
      [first, last]
    end
    fiber = Fiber.new do |n|
      got = inside(n)
      got * 2
    end
    p drives(fiber)
  RUBY

  def test_steps_through_fibers
    control(FIBERS) do |program|
      program.ask("stop", "break Object#drives", "eval $go = true", "run")
      assert_equal at("Object#drives(fiber=#<Fiber>)", 12), program.ask("wait 60")
      assert_equal at("Object#drives(fiber=#<Fiber>)", 13), program.ask("next")
      assert_equal at("Object#inside(n=1)", 9), program.ask("step")
      assert_equal "#0 Object#inside(n=1) at S line 9\n#1 block in <main>(n=1) at S line 17", program.ask("stack")
      assert_equal at("block in <main>(n=1)", 18), program.ask("finish")
      assert_equal at("Object#drives(fiber=#<Fiber>)", 14), program.ask("next")
      assert_equal ["[2, 22]"], program.ask("eval [first, last]").lines(chomp: true)
      program.ask("run", "wait 60")
      assert_equal "[2, 22]\nstatus 0", program.end
    end
  end

  def test_steps_out_of_fibers
    control(FIBERS) do |program|
      program.ask("stop", "break Object#leaf", "eval $go = true", "run")
      assert_equal at("Object#leaf(n=1)", 5), program.ask("wait 60")
      assert_equal at("Object#drives(fiber=#<Fiber>)", 13), program.ask("step")
      program.ask("break delete all", "run", "wait 60")
      assert_equal "[2, 22]\nstatus 0", program.end
    end
  end

  def test_threads_and_children_are_controlled_separately
    control(<<~'RUBY') do |program|
      def leaf(n)
        n
      end
      def works(n) = 3.times { leaf(n) }
      thread = Thread.new { idle until $work; works(1) }
      idle until $main
      works(2)
      thread.join
      pid = fork { works(3) }
      Process.wait(pid)
      puts "end"
    RUBY
      program.ask("stop")
      program.ask("break leaf", "eval $go = 1", "run")
      ring = nil
      program.wait_for { ring = program.ask("ps")[/^.\s+([1-9]\d*)\s.* running /, 1] }
      program.ask("ring #{ring}", "eval $work = 1")
      program.wait_for { program.ask("eval thread.alive?", "ring 0", "eval $work")[2] == "1" }
      program.wait_for { program.ask("ps").scan(" running ").size == 1 }
      program.ask("ring 0", "eval $main = 1")
      assert_equal at("Object#leaf(n=2)", 5), program.ask("wait 60")
      program.ask("break delete all", "finish")
      program.ask("break leaf if n == 3", "run")
      assert_match(/stopped: Object#leaf\(n=3\) at S line 5/, program.ask("wait all 60"))
      assert_match(/Object#works\(n=3\) at S line 7/, program.ask("stack"))
      assert_equal "3", program.ask("eval n")
      program.ask("break delete all", "run", "ring 0", "wait 60")
      assert_equal "end\nstatus 0", program.end
    end
  end

  # Threads whose first events are locks of Ruby's own, and native threads that are used again.
  def test_threads_that_begin_stopped
    control(<<~'RUBY') do |program|
      def leaf(n) = n
      2.times { |n| Thread.new { leaf(n) }.join }
      puts "end"
    RUBY
      program.ask("stop")
      program.ask("stop new", "eval $go = 1", "run")
      2.times do |n|
        assert_match(/stopped: Object#leaf\(n=#{n}\) at S line 4/, program.ask("wait all 60"))
        program.ask("break leaf", "run")
      end
      program.ask("ring 0", "wait 60")
      assert_equal "end\nstatus 0", program.end
    end
  end

  def test_a_stopped_thread_can_be_interrupted
    control("puts 'end'\n", idle: "def idle = sleep(0.01)\nbegin\n  idle while true\nrescue Interrupt\n  puts 'interrupted'\nend\n") do |program|
      program.ask("stop")
      pid = program.ask("eval Process.pid").to_i
      Process.kill("INT", pid)
      assert_equal "error: ring 0: it has ended", program.ask("wait 60")
      assert_equal "interrupted\nend\nstatus 0", program.end
    end
  end

  RACTOR = <<~'RUBY'
    Warning[:experimental] = false
    class Counter
      def leaf(n)
        n += 1
        n
      end
      def works(n)
        first = leaf(n)
        raise ArgumentError if first < 0
        first
      end
    end
    def busy(n)
      done = false
      until done
        n = Counter.new.works(n) rescue -1
        sleep 0.001
      end
      n
    end
    ractors = [Ractor.new { busy(10) }, Ractor.new { busy(1000) }]
    idle until $go
    ractors.each { |ractor| p ractor.take < 0 }
  RUBY

  # Each in its own ring: what one is asked does not stop the other, nor the main one.
  def test_ractors_are_controlled_separately
    control(RACTOR, idle: IDLE.sub("idle until $go", "")) do |program|
      rings = nil
      program.wait_for { (rings = program.ask("ps").scan(/^.\s+([1-9]\d*)\s.* running /).flatten).size == 2 }
      rings.each do |ring|
        program.ask("ring #{ring}", "stop")
        assert_equal "1 Counter#leaf", program.ask("break Counter#leaf")
        assert_match(/\Aring #{ring} stopped: Counter#leaf\(n=\d+\) at S line 7\z/, program.ask("run", "wait 60")[1])
        assert_match(/\A#0 Counter#leaf\(n=(\d+)\) at S line 7
#1 Counter#works\(n=\1\) at S line 11
#2 Object#busy\(n=\1\) at S line 19
#3 block in <main>\(\) at S line 24$/, program.ask("stack"))
        assert_match(/stopped: Counter#leaf\(n=\d+\) at S line 8\z/, program.ask("next"))
        assert_match(/stopped: Counter#works\(n=\d+\) at S line 12\z/, program.ask("finish"))
        assert_equal ["said\n[Counter, true]", "error: ArgumentError: ArgumentError"],
                     program.ask("eval puts 'said'; [self.class, first > n]", "eval raise ArgumentError")
        assert_match(/\Aerror: ring #{ring}: it does not answer/, program.ask("eval loop {}"))
        assert_equal "3", program.ask("eval 1 + 2")
        assert_match(/stopped: Counter#works\(n=\d+\) at S line 13\z/, program.ask("step"))
        assert_equal "2 S:12 if n % 10 == 0", program.ask("break #{program.script}:12 if n % 10 == 0")
        program.ask("break delete 1")
        assert_match(/stopped: Counter#works\(n=\d*0\) at S line 12\z/, program.ask("run", "wait 60")[1])
        assert_equal "3 raise ArgumentError", program.ask("break delete all", "break raise ArgumentError")[1]
        assert_match(/stopped: Counter#works.* at S line 12\n3 raise ArgumentError: #<ArgumentError>\z/,
                     program.ask("eval first = -1", "run", "wait 60")[2])
        assert_equal "true", program.ask("up", "eval done = true")[1]
        program.ask("break delete all", "run")
      end
      program.ask("ring 0", "stop", "eval $go = 1", "run", "wait 60")
      assert_equal "true\ntrue\nstatus 0", program.end
    end
  end

  # They go on on other native threads while they are stopped, and while expressions sleep.
  def test_threads_that_change_native_threads
    skip "Ruby has none" if RUBY_VERSION < "3.3"
    control(<<~'RUBY', idle: IDLE.sub("idle until $go", ""), env: { "RUBY_MN_THREADS" => "1" }) do |program|
      def leaf(n)
        n += 1
        n
      end
      def works(n)
        first = leaf(n)
        first
      end
      threads = 20.times.map { |i| Thread.new(i) { |n| n += works(100 * i) && idle && 1 until $go; n } }
      idle until $go
      p threads.map(&:value).all? { |n| n > 0 }
    RUBY
      rings = nil
      program.wait_for { (rings = program.ask("ps").scan(/^.\s+([1-9]\d*)\s.* running /).flatten).size == 20 }
      rings.first(3).each do |ring|
        program.ask("ring #{ring}", "stop")
        assert_equal "1 Object#leaf", program.ask("break leaf")
        assert_match(/\Aring #{ring} stopped: Object#leaf\(n=\d*0\) at S line 5\z/, program.ask("run", "wait 60")[1])
        assert_equal "2", program.ask("eval puts if n < 0; sleep 0.05; Thread.pass; 1 + 1")
        assert_match(/stopped: Object#leaf\(n=\d*1\) at S line 6\z/, program.ask("next"))
        assert_match(/stopped: Object#works\(n=\d*0\) at S line 10\z/, program.ask("finish"))
        assert_equal "said\n1", program.ask("eval print 'sa'; sleep 0.01; puts 'id'; first - n")
        assert_match(/\Aerror: ring #{ring}: it does not answer/, program.ask("eval loop { sleep 0.001 }"))
        assert_match(/^#1 block .*\(n=\d+\) at S line 12$/, program.ask("step", "stack")[1])
        program.ask("break delete all", "run")
      end
      program.ask("ring 0", "stop", "eval $go = 1", "run", "wait 60")
      assert_equal "true\nstatus 0", program.end
    end
  end

  # What is asked of a program leaves no calls in the trace.
  def test_work_for_a_monitor_is_not_traced
    path = write_file(<<~'RUBY')
      def leaf = 1
      def extra = leaf
      leaf while sleep(0.001) && !File.exist?(ENV["FLAG"])
      def loops = 3.times { leaf }
      loops
    RUBY
    flag = File.join(@folder, "flag")
    spans = File.join(@folder, "spans.json")
    trace = File.join(@folder, "trace")
    pid = spawn({ "FLAG" => flag }, "timeout", "100", ENV["RINGVIZ"], "--spans=json", "--output=#{spans}", "--force",
                "--trace-file=#{trace}", "--", "ruby", path)
    script = "stop\neval 5.times { extra }\nbreak leaf\nrun\nwait 60\nstep\nstack\nbreak delete all\nrun\n"
    ends = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 60
    sleep 0.01 until `echo ps | timeout 60 #{ENV["RINGVIZ"]} --control=#{trace} 2>&1`.include?(" running ") ||
                     Process.clock_gettime(Process::CLOCK_MONOTONIC) > ends
    Open3.capture2e("timeout", "100", ENV["RINGVIZ"], "--control=#{trace}", stdin_data: script)
    File.write(flag, "")
    Process.wait(pid)
    all = File.foreach(spans).map { |line| JSON.parse(line) }.reject { |span| span["lost"] }.map { |span| span["name"] }.uniq.grep_v(/\AGC|^Integer#times/) # which is Ruby's own from 3.3 on
    assert_equal ["Object#leaf", "Object#loops"], all.sort
  end
end
