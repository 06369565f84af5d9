# Loaded by RUBYOPT into every Ruby that ringviz starts: it looks for the library that was made for that Ruby, whose name
# tells version and machine. Any other Ruby is not traced, and nothing is said.
if RUBY_ENGINE == "ruby"
  begin
    require "#{__dir__}/#{RUBY_VERSION[/\A\d+\.\d+/]}.0/#{RUBY_PLATFORM}/ringviz.so"
  rescue LoadError
  end
end

# What a program may say itself. Without a trace it does nothing.
module RingViz
  unless respond_to?(:traced?)
    class << self
      def traced? = false
      def span(_name) = yield
      def mark(_name) = nil
      def value(_name, _number) = nil
      def flow(_id, _name, _phase) = nil
      def task_begin(_id, _name) = nil
      def task_switch(_id) = nil
      def task_end(_id) = nil
      def start = nil
      def stop = nil
      def trace = yield
    end
  end

  autoload :Rack, "#{__dir__}/ringviz/rack.rb"
  autoload :Minitest, "#{__dir__}/ringviz/minitest.rb"
  autoload :RSpec, "#{__dir__}/ringviz/rspec.rb"
end
$LOADED_FEATURES << "ringviz.rb" # for programs that require "ringviz"
