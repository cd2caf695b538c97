SELECT {{ by }} AS slice, sum(i.quantity) AS units
FROM commerce.orders o
JOIN commerce.order_items i ON i.order_id = o.order_id
JOIN commerce.products p ON p.product_id = i.product_id
WHERE o.market = {{ market }}
  AND o.status = 'completed'
  AND o.paid_at >= {{ period.start }}
  AND o.paid_at < {{ period.end_exclusive }}
GROUP BY 1
ORDER BY 1
