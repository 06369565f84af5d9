# How Ruby programs are found and what they notice.
require_relative "lib/ringviz_test"
require "rbconfig"

class StartTest < RingvizTest
  TEXT = "def leaf = 1\ndef outer = leaf\nouter\n"

  def assert_traced(result, path)
    assert_equal "", result.err.lines.reject { |line| line.start_with?("ringviz:") }.join
    assert_equal ["Object#outer", "Object#leaf"], names(result, path)
  end

  def test_scripts_are_traced_whoever_starts_them
    path = write_file("#!/usr/bin/env ruby\n" + TEXT)
    File.chmod(0o755, path)
    [["ruby", path], [path], ["sh", "-c", "ruby #{path}; true"], ["ruby", "-w", "-W:no-deprecated", path],
     ["ruby", "--disable=gems", path], ["env", "RUBYLIB=/nowhere", path]].each { |command| assert_traced(run_traced(command), path) }
    assert_traced(run_traced(["ruby", path], env: { "RUBYOPT" => "-W1" }), path)
    assert_traced(run_traced(["ruby", path], env: { "RUBYOPT" => " w" }), path)
    system = write_file("system('ruby', ARGV[0]); `ruby \#{ARGV[0]}`; exec('ruby', ARGV[0])")
    assert_equal %w[Object#outer Object#leaf] * 3, names(run_traced(["ruby", system, path]), path)
  end

  def test_rake_tasks_and_text_are_traced
    rakefile = write_file("task(:default) { outer }\ndef leaf = 1\ndef outer = leaf\n", "Rakefile")
    assert_equal %w[Object#outer Object#leaf], names(run_traced(["rake", "-q", "-f", rakefile]), rakefile)
    assert_equal %w[Object#outer Object#leaf], names(run_traced(["ruby", "-e", TEXT]), "-e")
    result = run_traced(["sh", "-c", "echo 'def leaf = 1; leaf' | ruby"])
    assert_equal %w[Object#leaf], names(result, "-")
  end

  def test_events_begin_with_the_main_script
    library = write_file("def early = 1\nearly\n", "library.rb")
    path = write_file(TEXT)
    command = ["ruby", "-r#{library}", path]
    assert_equal %w[Object#leaf Object#outer], run_traced(command).spans.map(&:name).sort
    by_options = { "RUBYOPT" => "-r#{library}" }
    assert_equal %w[Object#leaf Object#outer], run_traced(["ruby", path], env: by_options).spans.map(&:name).sort
    fibers = ["ruby", "-e", "def leaf = 1\nFiber.new { leaf }.resume"]
    assert_equal ["Object#leaf"], run_traced(fibers, env: by_options).spans.map(&:name)
    all = run_traced(["ruby", path], env: { "RINGVIZ_RUBY_BOOT" => "1", **by_options }).spans.map(&:name)
    assert_equal 1, all.count("Object#early")
    thread = write_file("def leaf = 1\nThread.new(&method(:leaf)).join\n")
    assert_equal ["Object#leaf"], names(run_traced(["ruby", thread]), thread)
  end

  def test_a_program_sees_nothing_but_its_options_and_one_module
    path = write_file(<<~'RUBY')
      OTHERS = ->(names) { names.grep_v(/\A(_|RUBYOPT|RINGVIZ_\w+|LD_PRELOAD|ASAN_OPTIONS|PERL5LIB|PERL5OPT)\z/).sort }
      p Object.constants.sort, $LOAD_PATH, $:, ARGV, $0, __FILE__, caller, global_variables.sort, OTHERS.call(ENV.keys)
      p Thread.list.size, $!, $@, $?, $VERBOSE, $DEBUG, Thread.main.instance_variables, Object.private_instance_methods.sort
      p $LOADED_FEATURES.grep_v(/ringviz/), trap("USR1", "DEFAULT"), ObjectSpace.count_objects.keys - [:T_MATCH], defined?(RubyVM) # a collection may have freed those
      f = Fiber.new { p Fiber.current.instance_variables; Fiber.yield }; f.resume; p f.instance_variables, Module.constants.size
    RUBY
    plain, traced = run_plain(["ruby", path]), run_traced(["ruby", path])
    seen = traced.out.sub(":RingViz, ", "")
    seen.sub!(/^\d+\Z/) { |n| (n.to_i - 1).to_s }
    assert_equal plain.out, seen
    assert_equal plain.err, traced.err.lines.reject { |line| line.start_with?("ringviz:") }.join
  end

  # The file that a report is made of is private: no thread waits there for a monitor.
  def test_a_program_that_only_ringviz_reads_has_no_further_thread
    path = write_file("def n_threads = Dir['/proc/self/task/*'].size\nn_threads; sleep 0.1; print n_threads")
    assert_equal run_plain(["ruby", path]).out, run_traced(["ruby", path]).out
  end

  def test_a_program_without_calls_is_told_of_the_other_levels
    result = run_plain([ENV["RINGVIZ"], "--report", "--", "ruby", "-e", "puts 1"])
    assert_match(/\Aringviz: ruby made no traced call: [^\n]*RINGVIZ_RUBY=all[^\n]*\n\z/, result.err)
  end

  def test_settings_that_mean_nothing_are_said
    { "RINGVIZ_RUBY" => "RINGVIZ_RUBY=none: not ruby, blocks, all or off; taken as ruby", "RINGVIZ_RUBY_ALLOC" =>
      "RINGVIZ_RUBY_ALLOC=none: not a number of objects; ignored" }.each do |name, line|
      result = run_plain([ENV["RINGVIZ"], "--report", "--", "ruby", "-e", "def leaf = 1\nleaf"], name => "none")
      assert_equal "ringviz: #{line}\n", result.err
      assert_includes result.out, "Object#leaf"
    end
  end

  def test_other_rubies_and_refusals_are_silent
    path = write_file(TEXT)
    result = run_plain([ENV["RINGVIZ"], "--spans=json", "--output=/dev/null", "--", "ruby", "--disable=rubyopt", path])
    refute_match(/RubyVM|LoadError|warn/i, result.err)
    stub = File.join(File.dirname(ENV["RINGVIZ"]), "../lib/ruby/ringviz.rb")
    other = run_plain(["ruby", "-e", "Object.send(:remove_const, :RUBY_VERSION); RUBY_VERSION = '9.9.9'; load #{stub.inspect}; p RingViz.traced?"])
    assert_equal ["false\n", ""], [other.out, other.err]
    jruby = run_plain(["ruby", "-e", "Object.send(:remove_const, :RUBY_ENGINE); RUBY_ENGINE = 'jruby'; load #{stub.inspect}; p RingViz.traced?"])
    assert_equal ["false\n", ""], [jruby.out, jruby.err]
  end

  def test_why_the_library_could_not_be_loaded_is_said_once
    library = File.join(@folder, "#{RUBY_VERSION[/\A\d+\.\d+/]}.0", RUBY_PLATFORM, "ringviz.so")
    FileUtils.mkdir_p(File.dirname(library))
    FileUtils.cp_r(Dir[File.join(File.dirname(ENV["RINGVIZ"]), "../lib/ruby/{ringviz,ringviz.rb}")], @folder)
    File.write(library, "no library")
    result = run_plain([ENV["RINGVIZ"], "--report", "--", "ruby", "--disable=rubyopt", "-r#{@folder}/ringviz.rb", "-e", "p 1"])
    assert_match(/\Aringviz: ruby's module could not be loaded: [^\n]*#{library}[^\n]*\nringviz: ruby made no traced call: [^\n]*\n\z/, result.err)
    assert_match(/^1$/, result.out)
  end

  def test_the_libraries_may_be_moved
    libraries = File.join(File.dirname(ENV["RINGVIZ"]), "../lib")
    FileUtils.cp_r(["#{libraries}/ruby", *Dir["#{libraries}/libringviz.so*"]], @folder)
    result = run_plain([ENV["RINGVIZ"], "--headless", "--", "ruby", "--disable=rubyopt", "-r#{@folder}/ruby/ringviz.rb", "-e",
                        "p RingViz.traced?; puts File.foreach('/proc/self/maps').grep(/libringviz.so/)"])
    assert_match(/^true$/, result.out, result.err)
    assert_includes result.out, "#{File.realpath(@folder)}/libringviz.so"
  end

  def test_without_a_trace_file_nothing_is_loaded_that_is_not_asked_for
    stub = File.realpath(File.join(File.dirname(ENV["RINGVIZ"]), "../lib/ruby/ringviz.rb"))
    ours = 'p $LOADED_FEATURES.grep(/ringviz/), File.foreach("/proc/self/maps").grep(/ringviz/).size'
    result = run_plain(["ruby", "-r#{stub}", "-e", "#{ours}; require 'ringviz'; p RingViz.traced?; #{ours}"])
    api = File.join(File.dirname(stub), "ringviz/api.rb")
    assert_equal "#{[stub]}\n0\nfalse\n#{[stub, api]}\n0\n", result.out, result.err
  end

  def test_ruby_3_3_is_not_traced_after_its_first_ractor
    skip "an earlier one" if RUBY_VERSION < "3.3"
    library = File.join(File.dirname(ENV["RINGVIZ"]), "../lib/ruby/ringviz.rb")
    path = write_file("Ractor.new { Ractor.receive }\nrequire #{library.inspect}\np RingViz.traced?")
    result = run_plain([ENV["RINGVIZ"], "--report", "--", "ruby", "-W0", "--disable=rubyopt", path])
    assert_match(/^false$/, result.out)
    assert_includes result.err, "ringviz: this Ruby is not traced: it was running Ractors when ringviz was loaded\n"
  end

  # The calls of a program that loads ringviz itself, after `first`, and what the report says that it was traced by.
  def traced_by(first)
    library = File.join(File.dirname(ENV["RINGVIZ"]), "../lib/ruby/ringviz.rb")
    path = write_file("#{first}\nrequire #{library.inspect}\ndef leaf = 1\n1000.times { leaf }\nputs 'done'\n")
    result = run_plain([ENV["RINGVIZ"], "--report", "--", "ruby", "-W0", "--disable=rubyopt", path])
    assert_match(/^done$/, result.out)
    assert_match(/^ +1000 .* Object#leaf /, result.out)
    result.out[/^ +\d+ +\S+: (Ruby .*)$/, 1]
  end

  def test_events_take_the_short_way_unless_that_is_not_safe
    skip "another processor" unless RUBY_PLATFORM.start_with?("x86_64")
    assert_equal "Ruby #{RUBY_VERSION}: methods", traced_by("")
    assert_equal "Ruby #{RUBY_VERSION}: methods", traced_by("Object.send(:remove_const, :Ractor)")
    return if RUBY_VERSION >= "3.3"
    assert_equal "Ruby #{RUBY_VERSION}: methods; slow events: Ractors", traced_by("waits = Ractor.new { Ractor.receive }")
  end

  def test_memory_of_code_that_cannot_be_written_is_left
    skip "another processor" unless RUBY_PLATFORM.start_with?("x86_64")
    denies = "begin; syscall(157, 65, 1, 0, 0, 0); rescue SystemCallError; puts 'no such call'; end" # PR_SET_MDWE
    skip "Linux before 6.3" if run_plain(["ruby", "-W0", "-e", denies]).out.include?("no such call")
    assert_equal "Ruby #{RUBY_VERSION}: methods; slow events: no jump", traced_by(denies)
  end
end
