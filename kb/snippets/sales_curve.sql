SELECT
  grass_date,
  sum(gmv) OVER (ORDER BY grass_date) AS gmv_to_date
FROM commerce.shopee_commerce_dws_order_metrics_nd__reg_s0_live
WHERE grass_region = {{ market }}
  AND tz_type = 'local'
  AND grass_date BETWEEN {{ period.start }} AND {{ period.end }}
ORDER BY grass_date
