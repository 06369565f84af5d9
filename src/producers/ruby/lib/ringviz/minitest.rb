# A span for each test, setup and teardown included: `RingViz::Minitest.start` once minitest is loaded.
module RingViz
  module Minitest
    def run
      RingViz.span("test #{self.class}##{name}") { super }
    end

    def self.start
      ::Minitest::Test.prepend(self)
    end
  end
end
