SELECT p.name, sum(i.quantity) AS units
FROM commerce.order_items i
JOIN commerce.orders o ON o.order_id = i.order_id
JOIN commerce.products p ON p.product_id = i.product_id
WHERE o.market = {{ market }}
  AND p.is_active
  AND o.is_test = FALSE
  AND o.paid_at >= {{ period.start }}
  AND o.paid_at < {{ period.end_exclusive }}
GROUP BY p.name
ORDER BY units DESC, p.name
LIMIT {{ n }}
