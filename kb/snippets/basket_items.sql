-- One row an order first: averaging the lines would answer another question
WITH baskets AS (
  SELECT o.order_id, sum(i.quantity) AS items
  FROM commerce.orders o
  JOIN commerce.order_items i ON i.order_id = o.order_id
  WHERE o.market = {{ market }}
    AND o.status = 'completed'
    AND o.created_at >= {{ period.start }}
    AND o.created_at < {{ period.end_exclusive }}
  GROUP BY o.order_id
)
SELECT avg(items) AS items_per_order
FROM baskets
