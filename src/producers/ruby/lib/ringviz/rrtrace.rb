# Names for the rrtrace gem, which tells its visualizer numbers only: `ruby -rringviz/rrtrace`, or a require before that of
# the gem. They are written to a file, which RINGVIZ_RRTRACE_NAMES tells ringviz, as code is loaded.
require "tmpdir"

module RingViz
  class RrtraceNames
    # A symbol's object id is made of its number.
    SCALE, OFFSET = RUBY_VERSION < "3.4" ? [20, 8] : [256, 12]

    def initialize(path)
      @file, @n_written = File.open(path, "w"), 0
      write
      @loading = TracePoint.new(:script_compiled) { write }.tap(&:enable)
    end

    def write
      symbols = Symbol.all_symbols
      lines = symbols.drop(@n_written).map do |symbol|
        number, rest = (symbol.object_id - OFFSET).divmod(SCALE)
        "#{number} #{symbol.name}\n" if rest == 0 && !symbol.name.include?("\n")
      end
      @n_written = symbols.size
      @file.write(lines.join)
      @file.flush
    end
  end

  unless (path = ENV["RINGVIZ_RRTRACE_NAMES"])
    pid, path = Process.pid, File.join(Dir.tmpdir, "ringviz-rrtrace-#{Process.pid}")
    ENV["RINGVIZ_RRTRACE_NAMES"] = path
    at_exit { File.delete(path) if Process.pid == pid && File.exist?(path) } # ringviz has it open
  end
  NAMES = RrtraceNames.new(path)
  private_constant :NAMES, :RrtraceNames
end
