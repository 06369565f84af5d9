# Loaded by RUBYOPT into every Ruby that ringviz starts: it looks for the library that was made for that Ruby, whose name
# tells version and machine. Any other Ruby is not traced, and nothing is said.
if ENV["RINGVIZ_FILE"]
  begin
    raise LoadError if RUBY_ENGINE != "ruby"
    require "#{__dir__}/#{RUBY_VERSION[/\A\d+\.\d+/]}.0/#{RUBY_PLATFORM}/ringviz.so"
  rescue LoadError
    $LOADED_FEATURES << "ringviz.rb" # for programs that require "ringviz"; the library does it sooner
  end
end

# Without a trace nothing more is loaded until the program asks.
defined?(RingViz) ? require_relative("ringviz/api") : autoload(:RingViz, "#{__dir__}/ringviz/api.rb")
