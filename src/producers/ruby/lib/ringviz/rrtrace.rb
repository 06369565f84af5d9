# Names for the rrtrace gem, which tells its visualizer numbers only: `ruby -rringviz/rrtrace`, or a require before that of
# the gem. They are written to a file, which RINGVIZ_RRTRACE_NAMES tells ringviz, as code is loaded.
require "tmpdir"

module RingViz
  class RrtraceNames
    # A symbol's object id is made of its number.
    SCALE, OFFSET = RUBY_VERSION < "3.4" ? [20, 8] : [256, 12]

    def initialize(file)
      @file, @n_written = file, 0
      write
      @loading = TracePoint.new(:script_compiled) { write }.tap(&:enable)
    end

    # Under the name that was given, or a new one. A program that another one starts inherits the variables, and leaves
    # that one's file alone.
    def self.open_file
      path = ENV["RINGVIZ_RRTRACE_NAMES"]
      is_own = !path || path == ENV["RINGVIZ_RRTRACE_NAMES_TAKEN"]
      file = is_own ? make_file(path) : File.open(path, "w")
      ENV["RINGVIZ_RRTRACE_NAMES"] = ENV["RINGVIZ_RRTRACE_NAMES_TAKEN"] = file.path
      file
    end

    # replaced: the file of the program that this process was before exec, or another's; nil: none.
    def self.make_file(replaced)
      pid, prefix = Process.pid, "ringviz-rrtrace-#{Process.pid}-"
      delete(replaced) if replaced && File.basename(replaced).start_with?(prefix)
      file = nil
      path = Dir::Tmpname.create(prefix) { |name| file = File.open(name, "wx", 0o600) }
      at_exit { delete(path) if Process.pid == pid } # ringviz has it open
      file
    end

    def self.delete(path)
      File.delete(path)
    rescue SystemCallError
      # It was deleted already.
    end

    private_class_method :make_file, :delete

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

  NAMES = RrtraceNames.new(RrtraceNames.open_file)
  private_constant :NAMES, :RrtraceNames
end
