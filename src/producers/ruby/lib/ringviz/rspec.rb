# A span for each example, its hooks included: `RingViz::RSpec.start` in spec_helper.rb.
module RingViz
  module RSpec
    def self.start
      ::RSpec.configure do |config|
        config.around(:each) { |example| RingViz.span("example #{example.full_description}") { example.run } }
      end
    end
  end
end
