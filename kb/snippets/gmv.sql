SELECT grass_region, substr(cast(grass_date AS varchar), 1, 7) AS period, sum(gmv) AS gmv
FROM commerce.shopee_commerce_dws_order_metrics_nd__reg_s0_live
WHERE grass_date BETWEEN {{ period.start }} AND {{ period.end }}
  AND tz_type = 'local'
  AND grass_region = {{ market }}
GROUP BY 1, 2
ORDER BY 2 DESC
