# A traced program in the background, and ringviz --control on its trace file.
require_relative "ringviz_test"

class RingvizMonitor
  attr_reader :script

  # Starts Ruby text under ringviz, and waits until a thread of it takes commands. Its standard input stays open.
  def initialize(folder, script, options: [], env: {})
    @script, @trace, @printed = script, File.join(folder, "trace"), File.join(folder, "printed")
    File.write(@printed, "")
    @stdin, writer = IO.pipe
    @pid = spawn(env, "timeout", "250", ENV.fetch("RINGVIZ"), "--headless", "--trace-file=#{@trace}", *options, "--",
                 "ruby", script, in: @stdin, %i[out err] => @printed, pgroup: true)
    @stdin.close
    @writer = writer
    wait_for { `echo ps | timeout 60 #{ENV["RINGVIZ"]} --control=#{@trace} 2>&1`.include?(" running ") }
    @to, @from = IO.pipe, IO.pipe
    @monitor = spawn("timeout", "250", ENV["RINGVIZ"], "--control=#{@trace}", in: @to[0], %i[out err] => @from[1])
    @to[0].close
    @from[1].close
  end

  def wait_for
    ends = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 60
    until yield
      raise "timeout: #{printed}" if Process.clock_gettime(Process::CLOCK_MONOTONIC) > ends
      sleep 0.01
    end
  end

  # The answers of commands, or that of one. The answer of a command that does not exist ends each.
  def ask(*commands)
    answers = commands.map do |command|
      @to[1].puts(command, "=")
      answer = +""
      while (line = @from[0].gets)
        break if line.start_with?("error: no command '='")
        answer << line
      end
      answer.chomp.gsub(@script, "S")
    end
    answers.size == 1 ? answers[0] : answers
  end

  # What is left of it, where a test has failed.
  def kill
    [-@pid, @monitor].compact.each { |pid| Process.kill("KILL", pid) }
  rescue Errno::ESRCH
  end

  def printed = File.read(@printed)

  # What the program printed, with its status, once its monitor has gone.
  def end
    @to[1].close
    @from[0].close
    Process.wait(@monitor)
    @writer.close
    Process.wait(@pid)
    "#{printed}status #{$?.exitstatus}"
  end
end
