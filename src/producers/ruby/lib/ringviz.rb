# Loaded by RUBYOPT into every Ruby that ringviz starts: it looks for the library that was made for that Ruby, whose name
# tells version and machine. Any other Ruby is not traced, and nothing is said.
if ENV["RINGVIZ_FILE"] && RUBY_ENGINE == "ruby"
  library = "#{__dir__}/#{RUBY_VERSION[/\A\d+\.\d+/]}.0/#{RUBY_PLATFORM}/ringviz.so"
  begin
    require library if File.exist?(library)
  rescue LoadError => error
    $stderr.puts "ringviz: ruby's module could not be loaded: #{error.message}"
  end
end

# Without a trace nothing more is loaded until the program asks. A further folder to look in costs nothing, a further feature has
# Ruby build their index anew.
if defined?(RingViz)
  require_relative "ringviz/api"
else
  $LOAD_PATH << __dir__ unless $LOAD_PATH.include?(__dir__) # for programs that require "ringviz": it is this file
  autoload :RingViz, "#{__dir__}/ringviz/api.rb"
end
