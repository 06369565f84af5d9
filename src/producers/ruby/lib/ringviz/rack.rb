# A span for each request: `use RingViz::Rack` in config.ru.
module RingViz
  class Rack
    def initialize(app)
      @app = app
    end

    # "GET /articles/N/comments": requests that differ by numbers have one name.
    def call(env)
      RingViz.span("#{env["REQUEST_METHOD"]} #{env["PATH_INFO"].gsub(/\d+/, "N")}") { @app.call(env) }
    end
  end
end
