#include <ringviz/producer.h>

static void work(uint32_t id)
{
    ringviz_enter(id);
    ringviz_leave(id);
}

int main(void)
{
    uint32_t id = ringviz_intern("Consumer", "work", __FILE__, __LINE__);
    for (int i = 0; i < 100; i++)
        work(id);
    return 0;
}
