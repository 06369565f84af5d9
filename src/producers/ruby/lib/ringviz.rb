# Loaded by RUBYOPT into every Ruby that ringviz starts: it looks for the library that was made for that Ruby, whose name
# tells version and machine. Any other Ruby is not traced, and nothing is said.
if RUBY_ENGINE == "ruby"
  begin
    require "#{__dir__}/#{RUBY_VERSION[/\A\d+\.\d+/]}.0/#{RUBY_PLATFORM}/ringviz.so"
  rescue LoadError
  end
end
