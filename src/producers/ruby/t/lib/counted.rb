# Loaded into a traced script: counts its calls by TracePoint and writes the counts to $COUNTS when it ends.
level, path, written = ENV.values_at("RINGVIZ_RUBY", "COUNTS_OF", "COUNTS")
counts = {}.compare_by_identity # by thread: another one may get its turn between two steps

inspect = Module.instance_method(:inspect)
owner_name = lambda do |owner|
  name = inspect.bind_call(owner).gsub(/:0x\h+/, "")
  next "#{$1}#" if name =~ /\A#<refinement:(.*)>\z/
  owner.singleton_class? ? "#{name[/\A#<Class:(.*)>\z/, 1]}." : "#{name}#"
end

events = [:call, *(:b_call unless level == "ruby"), *(:c_call if level == "all")]
trace = TracePoint.new(*events) do |point|
  next unless point.event == :c_call || point.path == path
  owner, id = point.defined_class, point.method_id
  name = id && "#{owner_name.(owner)}#{id}"
  name = name ? "block in #{name}" : "block" if point.event == :b_call
  ((counts[Thread.current] ||= {})[Process.pid] ||= Hash.new(0))[name] += 1
end
$write_counts = lambda do
  trace.disable
  own = counts.values.flat_map { |by_process| by_process[Process.pid].to_a } # calls no Integer#==, which ringviz would tell
  File.binwrite("#{written}.#{Process.pid}", Marshal.dump(own))
end
at_exit(&$write_counts)
trace.enable
